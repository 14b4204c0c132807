package explore_test

import (
	"bytes"
	"compress/gzip"
	"io/fs"
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
	var files []string
	err := filepath.WalkDir("page", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) != "" { // the licence and the list of packages are for people
			files = append(files, path)
		}
		return err
	})
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
		// All are fetched at once: none waits until another one that imports it has come. Only the library of the charts, and
		// what draws with it, comes when the first chart is drawn, so that the first view does not wait for it.
		late := filepath.Dir(file) != "page" || file == "page/chart.js"
		if filepath.Ext(file) == ".js" && late == bytes.Contains(index, []byte(`"`+file+`"`)) {
			t.Errorf("%s comes late: %v; index.html says otherwise", file, late)
		}
		for _, m := range imported.FindAllSubmatch(b, -1) {
			if _, err := os.Stat("page/" + string(m[1])); err != nil {
				t.Errorf("%s imports %s: %v", file, m[1], err)
			}
		}
		for _, link := range elsewhere.FindAllString(string(b), -1) {
			// A name, from where nothing is loaded. In the libraries there are addresses in comments.
			if link != "http://www.w3.org/2000/svg" && filepath.Dir(file) == "page" {
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
