package explore

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"sync"

	"pagoda/internal/app/cli"
)

//go:embed page
var page embed.FS

// mediaTypes are those of the files of the page, by their endings; no other file is served.
var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
}

// A pageFile is a file of the page as it is sent.
type pageFile struct{ plain, zipped []byte }

// A pageSet is the page. Its files have the digest of all of them in their addresses. So a file with such an address
// never changes, and a browser need not ask for it again.
type pageSet struct {
	digest string
	files  map[string]pageFile
}

// ownFile is an address in index.html of a file of the page.
var ownFile = regexp.MustCompile(`((?:href|src)="page/)`)

// loadPage reads the page, once for all servers.
var loadPage = sync.OnceValues(func() (*pageSet, error) {
	texts := map[string][]byte{}
	digest := sha256.New()
	err := fs.WalkDir(page, "page", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || mediaTypes[path.Ext(name)] == "" {
			return err
		}
		b, err := page.ReadFile(name)
		texts[name[len("page/"):]] = b
		digest.Write([]byte(name + "\x00"))
		digest.Write(b)
		return err
	})
	set := &pageSet{digest: hex.EncodeToString(digest.Sum(nil)[:8]), files: map[string]pageFile{}}
	for name, b := range texts {
		if name == "index.html" {
			b = ownFile.ReplaceAll(b, []byte("${1}"+set.digest+"/"))
		}
		var zipped bytes.Buffer
		z, _ := gzip.NewWriterLevel(&zipped, gzip.BestCompression) // the level exists
		_, werr := z.Write(b)
		err = errors.Join(err, werr, z.Close())
		set.files[name] = pageFile{b, zipped.Bytes()}
	}
	return set, err
})

var errOtherPage = cli.Hint(errors.New("the page has no such file"),
	"load the page again: the program may be another one than the one that it came from")

// serveIndex serves the page itself, which a browser asks for each time.
func (s *Server) serveIndex(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", `"`+s.page.digest+`"`)
	s.sendPage(w, r, "index.html")
}

// servePage serves a file that the page loads.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request) {
	if r.PathValue("digest") != s.page.digest {
		refuse(w, http.StatusNotFound, errOtherPage)
		return
	}
	w.Header().Set("Cache-Control", "max-age=31536000, immutable")
	s.sendPage(w, r, r.PathValue("file"))
}

func (s *Server) sendPage(w http.ResponseWriter, r *http.Request, name string) {
	file, ok := s.page.files[name]
	if !ok {
		refuse(w, http.StatusNotFound, errOtherPage)
		return
	}
	if unchanged(w, r) {
		return
	}
	b := file.plain
	w.Header().Add("Vary", "Accept-Encoding")
	if takesGzip(r) {
		w.Header().Set("Content-Encoding", "gzip")
		b = file.zipped
	}
	w.Header().Set("Content-Type", mediaTypes[path.Ext(name)])
	_, _ = w.Write(b)
}
