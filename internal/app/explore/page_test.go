package explore_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

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
	version := regexp.MustCompile(`page/[0-9a-f]{16}/`).Find(index)
	imported := regexp.MustCompile(`from "\./([^"]+)"`)
	elsewhere := regexp.MustCompile(`https?://[^\s"']*`)
	// All that the board needs is fetched at once: no file waits until another one that imports it has come. The rest
	// comes when a view is first shown, and the library of the charts with the first chart.
	first := map[string]bool{"main.js": true, "board.js": true}
	for grown := true; grown; {
		grown = false
		for name := range maps.Clone(first) {
			for _, m := range imported.FindAllSubmatch(readPage(t, name), -1) {
				grown = grown || !first[string(m[1])]
				first[string(m[1])] = true
			}
		}
	}
	for _, file := range files {
		name := strings.TrimPrefix(file, "page/")
		b := readPage(t, name)
		if name == "index.html" {
			continue
		}
		address := "/" + string(version) + name
		code, h, got := s.send(http.MethodGet, address)
		if kind := kinds[filepath.Ext(file)]; code != http.StatusOK || !bytes.Equal(got, b) || kind == "" ||
			!strings.HasPrefix(h.Get("Content-Type"), kind) || !strings.Contains(h.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d, %s", address, code, h)
		}
		code, h, got = s.send(http.MethodGet, address, zipped)
		if code != http.StatusOK || !bytes.Equal(unzip(t, h, got), b) {
			t.Errorf("%s, compressed: %d, %s", address, code, h)
		}
		if filepath.Ext(file) == ".js" && first[name] != bytes.Contains(index, append([]byte(`"`), address[1:]+`"`...)) {
			t.Errorf("%s is wanted by the board: %v; index.html says otherwise", file, first[name])
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
	for _, m := range regexp.MustCompile(`(?:href|src)="(page/[^"]+)"`).FindAllSubmatch(index, -1) {
		if code, _, _ := s.send(http.MethodGet, "/"+string(m[1])); code != http.StatusOK {
			t.Errorf("the page loads %s: %d", m[1], code)
		}
	}
}

// readPage reads a file of the page.
func readPage(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("page", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// zipped has a request accept gzip, which the client does not undo by itself then.
func zipped(r *http.Request) { r.Header.Set("Accept-Encoding", "br, gzip;q=0.5") }

// unzip is a compressed answer as it was.
func unzip(t *testing.T, h http.Header, b []byte) []byte {
	t.Helper()
	if h.Get("Content-Encoding") != "gzip" {
		t.Fatalf("not compressed: %s", h)
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// TestSent: a client that has the answer already gets status 304 instead. No answer that can change is kept: the status
// of a run, a refusal, a file of another version of the page.
func TestSent(t *testing.T) {
	s := newSite(t)
	r := s.begin("Triangle")
	for path, kept := range map[string]bool{
		"/": true, "/runs/" + r.ID + "/v1/results?output=json": true, "/runs/" + r.ID + "/answer/query?arg=start": true,
		"/runs": false, "/runs/" + r.ID + "/answer/query?arg=nowhere": false, "/page/0123456789abcdef/main.js": false,
	} {
		code, h, b := s.send(http.MethodGet, path, zipped)
		tag := h.Get("ETag")
		if (tag != "") != kept || kept == strings.Contains(h.Get("Cache-Control"), "no-store") || len(unzip(t, h, b)) == 0 {
			t.Errorf("%s: %d, %s", path, code, h)
		}
		for have, want := range map[string]int{`W/"other", ` + tag: http.StatusNotModified, `"other"`: code} {
			if !kept {
				want = code
			}
			again, _, rest := s.send(http.MethodGet, path, func(r *http.Request) { r.Header.Set("If-None-Match", have) })
			if again != want || (len(rest) == 0) != (want == http.StatusNotModified) {
				t.Errorf("%s, to a client with %s: %d, %d bytes; want %d", path, have, again, len(rest), want)
			}
		}
	}
	for header, want := range map[string]string{
		"": "", "gzip": "gzip", "gzip;q=0": "", "br": "", "gzip;q=0.0, br": "", "x-gzip": "",
	} {
		_, h, _ := s.send(http.MethodGet, "/runs", func(r *http.Request) { r.Header.Set("Accept-Encoding", header) })
		if got := h.Get("Content-Encoding"); got != want {
			t.Errorf("Accept-Encoding %q: %q, want %q", header, got, want)
		}
	}
}
