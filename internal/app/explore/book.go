package explore

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"slices"
	"time"

	"pagoda/internal/app/cli"
	"pagoda/internal/output/book"
	"pagoda/internal/run/rundir"
)

// bookTitle is the title of the book that a page stands in.
const bookTitle = "Pagoda: results"

// A bound is the book of one run. A browser that has asked for the page asks for its style sheet and pictures next.
type bound struct {
	certificate os.FileInfo // the file that it was made with
	page        string      // path of the page of the result
	files       []book.File
}

var errBookElsewhere = cli.Hint(errors.New("a coordinator elsewhere has this run"), "follow the link on its own page")

// ofBook answers a request for the book of a run. No page of a coordinator elsewhere is passed on: see plainTypes.
func (s *Server) ofBook(w http.ResponseWriter, r *http.Request) {
	o := s.offered(w, r)
	switch {
	case o == nil:
	case o.remote != nil:
		refuse(w, http.StatusNotFound, errBookElsewhere)
	default:
		s.ofRun(s.serveBook)(w, r)
	}
}

// serveBook sends a file of the book that has this run alone. The path of the book itself leads to the page.
func (s *Server) serveBook(w http.ResponseWriter, r *http.Request, o *offer) {
	b, err := s.bookOf(r, o)
	switch {
	case errors.Is(err, errUncertified):
		refuse(w, http.StatusNotFound, err)
		return
	case err != nil:
		refuse(w, httpStatus(err), err)
		return
	}
	name := r.PathValue("file")
	if name == "" {
		// The address is relative: a proxy may serve the page below another one.
		w.Header().Set("Location", b.page)
		w.WriteHeader(http.StatusSeeOther)
		return
	}
	i := slices.IndexFunc(b.files, func(f book.File) bool { return f.Path == name })
	if i < 0 {
		refuse(w, http.StatusNotFound, fmt.Errorf("the book of run %s has no file %.100q", o.ID, name))
		return
	}
	http.ServeContent(w, r, path.Base(name), time.Time{}, bytes.NewReader(b.files[i].Data))
}

// bookOf makes the book of a run, unless it is the one that was made last. The error is errUncertified where the
// run has no certificate.
func (s *Server) bookOf(r *http.Request, o *offer) (*bound, error) {
	s.binding.Lock()
	defer s.binding.Unlock()
	file, err := os.Stat(rundir.CertificatePath(o.Dir))
	if errors.Is(err, fs.ErrNotExist) {
		err = errUncertified
	}
	if err != nil {
		return nil, err
	}
	if b := s.bound; b != nil && sameFile(file, b.certificate) {
		return b, nil
	}
	run, done, err := o.lend(s.ctx, s.o.Loader, true)
	if err != nil {
		return nil, err
	}
	defer done()
	record, err := run.Record(r.Context())
	if err == nil {
		err = record.Check()
	}
	if err != nil {
		return nil, err
	}
	files, err := book.Site(bookTitle, []*book.Record{record})
	if err != nil {
		return nil, err
	}
	s.bound = &bound{file, record.Page(), files}
	return s.bound, nil
}

// sameFile reports whether a file is as it was.
func sameFile(now, before os.FileInfo) bool {
	return os.SameFile(now, before) && now.Size() == before.Size() && now.ModTime().Equal(before.ModTime())
}
