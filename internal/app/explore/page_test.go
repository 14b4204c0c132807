package explore_test

import (
	"bytes"
	"io/fs"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// maxPage bounds the files that a browser loads, in kB.
const maxPage = 400

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
	var sent, library float64
	imported := regexp.MustCompile(`from "\./([^"]+)"`)
	elsewhere := regexp.MustCompile(`https?://[^\s"']*`)
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sent += float64(len(b)) / 1000
		if filepath.Dir(file) == filepath.Join("page", "vendored") {
			library += float64(len(b)) / 1000
		}
		code, h, got := s.send(http.MethodGet, "/"+file)
		if kind := kinds[filepath.Ext(file)]; code != http.StatusOK || !bytes.Equal(got, b) || kind == "" ||
			!strings.HasPrefix(h.Get("Content-Type"), kind) {
			t.Errorf("%s: %d, %s", file, code, h.Get("Content-Type"))
		}
		// All are fetched at once: none waits until another one that imports it has come. Only the library of the charts, and
		// the code that draws with it, come when the first chart is drawn, so that the first view does not wait for them.
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
	if sent > maxPage {
		t.Errorf("the page has %.0f kB, at most %d are wanted", sent, maxPage)
	}
	// docs/explorer.md says how much is sent. A twentieth more or less is no reason to write it anew.
	doc, err := os.ReadFile("../../../docs/explorer.md")
	if err != nil {
		t.Fatal(err)
	}
	figures := regexp.MustCompile(`\*\*The page\*\* is (\d+) kB as it is sent, all of it; (\d+) kB of these`)
	said := figures.FindSubmatch(doc)
	if said == nil {
		t.Fatal("docs/explorer.md does not say how much the page is")
	}
	for i, is := range []float64{sent, library} {
		if says, err := strconv.ParseFloat(string(said[i+1]), 64); err != nil || math.Abs(says-is) > is/20 {
			t.Errorf("docs/explorer.md says %s kB, and the page is %.0f kB, the library of its charts %.0f kB",
				said[i+1], sent, library)
		}
	}
	for _, m := range regexp.MustCompile(`(?:href|src)="(page/[^"]+)"`).FindAllSubmatch(index, -1) {
		if code, _, _ := s.send(http.MethodGet, "/"+string(m[1])); code != http.StatusOK {
			t.Errorf("the page loads %s: %d", m[1], code)
		}
	}
}
