package explore_test

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// maxPage bounds what a browser loads, compressed, in bytes.
const maxPage = 300_000

// TestPage demands that everything that the page loads is served, under its media type, that nothing is loaded from
// elsewhere and nothing stands in the page that the policy forbids.
func TestPage(t *testing.T) {
	s := newSite(t)
	code, h, index := s.send(http.MethodGet, "/")
	if code != http.StatusOK || !strings.HasPrefix(h.Get("Content-Type"), "text/html") {
		t.Fatalf("%d %v", code, h)
	}
	if regexp.MustCompile(`(?i)<style|<script(\s+type="module")?>|\son[a-z]+=|style=`).Match(index) {
		t.Error("a script or a style stands in the page")
	}
	kinds := map[string]string{".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html"}
	files, err := filepath.Glob("page/*")
	if err != nil || len(files) < 10 {
		t.Fatalf("%v, %v", files, err)
	}
	var all bytes.Buffer
	z := gzip.NewWriter(&all)
	imported := regexp.MustCompile(`from "\./([^"]+)"`)
	elsewhere := regexp.MustCompile(`https?://[^\s"']*`)
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := z.Write(b); err != nil {
			t.Fatal(err)
		}
		code, h, got := s.send(http.MethodGet, "/"+file)
		if kind := kinds[filepath.Ext(file)]; code != http.StatusOK || !bytes.Equal(got, b) || kind == "" ||
			!strings.HasPrefix(h.Get("Content-Type"), kind) {
			t.Errorf("%s: %d, %s", file, code, h.Get("Content-Type"))
		}
		// All are fetched at once: none waits until another one that imports it has come.
		if filepath.Ext(file) == ".js" && !bytes.Contains(index, []byte(`"`+file+`"`)) {
			t.Errorf("index.html does not preload %s", file)
		}
		for _, m := range imported.FindAllSubmatch(b, -1) {
			if _, err := os.Stat("page/" + string(m[1])); err != nil {
				t.Errorf("%s imports %s: %v", file, m[1], err)
			}
		}
		for _, link := range elsewhere.FindAllString(string(b), -1) {
			if link != "http://www.w3.org/2000/svg" { // a name, from where nothing is loaded
				t.Errorf("%s names %s", file, link)
			}
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if all.Len() > maxPage {
		t.Errorf("the page has %d bytes compressed, at most %d are wanted", all.Len(), maxPage)
	}
	t.Logf("%d bytes compressed", all.Len())
	for _, m := range regexp.MustCompile(`(?:href|src)="(page/[^"]+)"`).FindAllSubmatch(index, -1) {
		if code, _, _ := s.send(http.MethodGet, "/"+string(m[1])); code != http.StatusOK {
			t.Errorf("the page loads %s: %d", m[1], code)
		}
	}
}
