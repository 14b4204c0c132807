package explore

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
)

// maxExportRows bounds the rows of a layer that the page exports: they are sorted first, in files when they do not fit
// in memory.
const maxExportRows = 20_000_000

// serveExport writes a table of a run, or the rows of a layer, one such layer at a time.
func (s *Server) serveExport(w http.ResponseWriter, r *http.Request) {
	o := s.offered(w, r)
	switch {
	case o == nil:
	case !s.trusts(r):
		refuse(w, http.StatusForbidden, errDistrusted)
	case o.remote != nil:
		o.pass(w, r)
	default:
		q := r.URL.Query()
		what := runs.Selection{Table: q.Get("table")}
		if !what.Rows() {
			s.limited(func(w http.ResponseWriter, r *http.Request) { s.serveAPI(w, r, o) })(w, r)
			return
		}
		if err := s.tooManyRows(o, what.Table, q.Get("layer"), cmp.Or(s.o.ExportRows, maxExportRows)); err != nil {
			refuse(w, http.StatusConflict, err)
			return
		}
		select {
		case s.exporting <- struct{}{}:
			defer func() { <-s.exporting }()
			s.serveAPI(w, r, o)
		default:
			refuse(w, http.StatusServiceUnavailable,
				cli.Hint(errors.New("another layer is being exported"), "wait for its end"))
		}
	}
}

// tooManyRows refuses a layer that is too large for the page. Of one that is not there the API says so.
func (s *Server) tooManyRows(o *offer, table, layer string, most uint64) error {
	n, err := strconv.Atoi(layer)
	if err != nil {
		return nil // the API names the mistake
	}
	run, done, err := o.lend(s.ctx, s.o.Loader, false)
	if err != nil {
		return nil // and that the run is not there
	}
	defer done()
	if rows := run.StoredRows(n); rows > most {
		return cli.Hint(fmt.Errorf("layer %d has %d rows, and the page exports %d at most", n, rows, most),
			fmt.Sprintf("coordinator export --data %s --table %s --layer %d has no bound", o.Dir, table, n))
	}
	return nil
}

// trusts reports whether a client may have more done than answers: it has shown a coordinator's certificate, or is a
// program of this machine.
func (s *Server) trusts(r *http.Request) bool { return s.o.Keys != nil || fromThisMachine(r) }

var errDistrusted = cli.Hint(errors.New("only programs of this machine may change or export something here"),
	"serve the page with --certs: then holders of a coordinator's certificate may")

// A rightsDoc lists the rights of the client that asks.
type rightsDoc struct {
	Trusted bool `json:"trusted"` // it may add problems, begin small runs, verify and export
}

func (s *Server) serveRights(w http.ResponseWriter, r *http.Request) {
	reply(w, http.StatusOK, rightsDoc{Trusted: s.trusts(r)})
}
