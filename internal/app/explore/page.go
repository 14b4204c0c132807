package explore

import (
	"embed"
	"errors"
	"net/http"
	"path"
)

//go:embed page
var page embed.FS

// mediaTypes are those of the files of the page, by their endings; no other file is served.
var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
}

// servePage serves the page, or a file that it loads.
func servePage(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	if name == "" {
		name = "index.html"
	}
	b, err := page.ReadFile("page/" + name)
	kind, ok := mediaTypes[path.Ext(name)]
	if err != nil || !ok {
		refuse(w, http.StatusNotFound, errors.New("the page has no such file"))
		return
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(b)
}
