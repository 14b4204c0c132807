package book

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// records reads the records of the project's own book.
func records(t *testing.T) (list []*Record) {
	t.Helper()
	paths, err := filepath.Glob("../../../docs/book/records/*.json")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d records: %v", len(paths), err)
	}
	for _, p := range paths {
		list = append(list, read(t, p))
	}
	return list
}

func read(t *testing.T, path string) *Record {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Decode(b)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	again, err := r.Encode()
	if err != nil || !bytes.Equal(b, again) {
		t.Errorf("%s: written again it is another file: %v", path, err)
	}
	return r
}

// triangle is the record of the triangle of 15 holes.
func triangle(t *testing.T) *Record {
	t.Helper()
	return read(t, "../../../docs/book/records/triangle15.json")
}

func site(t *testing.T, title string, list []*Record) map[string][]byte {
	t.Helper()
	files, err := Site(title, list)
	if err != nil {
		t.Fatal(err)
	}
	byPath := make(map[string][]byte)
	for _, f := range files {
		if byPath[f.Path] != nil {
			t.Errorf("%s is there twice", f.Path)
		}
		byPath[f.Path] = f.Data
	}
	return byPath
}

// A parsed is a page: its links, and the text of its elements.
type parsed struct {
	links    []string
	ids      map[string]bool
	elements map[string]int
	text     string
	cells    [][]string // of all rows of tables
	numbers  map[string]string
}

// parse reads a page, which must be well-formed XML too.
func parse(t *testing.T, name string, page []byte) *parsed {
	t.Helper()
	p := &parsed{ids: map[string]bool{}, elements: map[string]int{}, numbers: map[string]string{}}
	d := xml.NewDecoder(bytes.NewReader(page))
	d.Entity = xml.HTMLEntity
	var open []string
	var text strings.Builder
	term := ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s is not well-formed: %v", name, err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			open = append(open, e.Name.Local)
			p.elements[e.Name.Local]++
			for _, a := range e.Attr {
				switch a.Name.Local {
				case "href", "src":
					p.links = append(p.links, a.Value)
				case "id":
					if p.ids[a.Value] {
						t.Errorf("%s has the id %s twice", name, a.Value)
					}
					p.ids[a.Value] = true
				}
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "style" {
					t.Errorf("%s has the attribute %s", name, a.Name.Local)
				}
			}
			switch e.Name.Local {
			case "tr":
				p.cells = append(p.cells, nil)
			case "td", "th", "dt", "dd":
				text.Reset()
			case "span":
				if len(open) > 1 && open[len(open)-2] == "dd" { // the meaning of a number
					p.numbers[term] = strings.TrimSpace(text.String())
				}
			}
		case xml.EndElement:
			open = open[:len(open)-1]
			switch e.Name.Local {
			case "td", "th":
				last := &p.cells[len(p.cells)-1]
				*last = append(*last, text.String())
			case "dt":
				term = text.String()
			}
		case xml.CharData:
			text.Write(e)
			p.text += string(e)
		}
	}
	return p
}

// TestPages looks at every page of the project's book: links, weight, form.
func TestPages(t *testing.T) {
	list := records(t)
	files := site(t, "All results", list)
	pages := 0
	for name, data := range files {
		if path.Ext(name) != ".html" {
			continue
		}
		pages++
		if len(data) >= 100_000 {
			t.Errorf("%s has %d bytes", name, len(data))
		}
		p := parse(t, name, data)
		if p.elements["h1"] != 1 || p.elements["script"] != scripts(name) || p.elements["iframe"]+p.elements["img"] > 0 {
			t.Errorf("%s has %v", name, p.elements)
		}
		for _, link := range p.links {
			if strings.HasPrefix(link, "/") || strings.Contains(link, ":") {
				t.Errorf("%s: the link %s is not relative", name, link)
			}
			to := path.Join(path.Dir(name), link)
			if files[to] == nil {
				t.Errorf("%s: the link %s leads nowhere", name, link)
			}
		}
		if !slices.Contains(p.links, path.Join(strings.Repeat("../", strings.Count(name, "/")), "book.css")) {
			t.Errorf("%s has no style sheet", name)
		}
	}
	if pages != len(list)+1 {
		t.Errorf("%d pages of %d records", pages, len(list))
	}
	linked := parse(t, index, files[index]).links
	for _, r := range list {
		if !slices.Contains(linked, r.Folder()+"/"+index) {
			t.Errorf("the index does not lead to %s", r.Folder())
		}
	}
	for name := range files {
		if name != Sums && !bytes.Contains(files[Sums], []byte("  "+name+"\n")) {
			t.Errorf("%s does not list %s", Sums, name)
		}
	}
}

// scripts is the number of scripts of a page: the index has the search.
func scripts(name string) int {
	if name == index {
		return 1
	}
	return 0
}

// TestSearch: the script of the index has the words and the exact numbers of every result, in the order of the index.
func TestSearch(t *testing.T) {
	list := records(t)
	files := site(t, "All results", list)
	line, code, _ := strings.Cut(string(files[search]), ";\n")
	var texts []string
	if err := json.Unmarshal([]byte(strings.TrimPrefix(line, "const texts = ")), &texts); err != nil {
		t.Fatal(err)
	}
	links := slices.DeleteFunc(parse(t, index, files[index]).links, func(l string) bool { return path.Base(l) != index })
	if len(texts) != len(list) || len(links) != len(list) || !strings.Contains(code, "search()") {
		t.Fatalf("%d texts and %d links for %d results", len(texts), len(links), len(list))
	}
	for i, link := range links {
		if !strings.Contains(texts[i], path.Dir(link)) {
			t.Errorf("the text of %s is %.80s", link, texts[i])
		}
		if strings.HasPrefix(link, "english-8ac7427e3573/") && !strings.Contains(texts[i], " solutions 40861647040079968 ") {
			t.Errorf("the numbers of %s are not in %s", link, texts[i])
		}
	}
}

// TestNumbers: a page shows the digits of its record, without the space between groups, and all rows of its tables.
func TestNumbers(t *testing.T) {
	list := records(t)
	files := site(t, "All results", list)
	rows := 0
	for _, r := range list {
		p := parse(t, r.Name, files[r.Folder()+"/"+index])
		for _, total := range r.Certificate.Totals {
			if want, ok := p.numbers[total.Name]; ok && want != total.Value && !strings.HasSuffix(want, " = "+total.Value) {
				t.Errorf("%s: the page says %s %s, the certificate %s", r.Name, total.Name, want, total.Value)
			}
		}
		for i := range r.Tables {
			table := &r.Tables[i]
			if i > 0 && strings.Contains(p.text, fmt.Sprintf("%d rows: see %s.csv", len(table.Rows), table.Name)) {
				continue
			}
			rows += len(table.Rows)
			for _, row := range table.Rows {
				if !slices.ContainsFunc(p.cells, func(cells []string) bool { return slices.Equal(cells, row) }) {
					t.Errorf("%s: table %s: the page lacks the row %q", r.Name, table.Name, row)
				}
			}
		}
		if h := r.headline(); h.Value != "" && !strings.Contains(p.text, h.Value) {
			t.Errorf("%s: the page lacks %s", r.Name, h.Value)
		}
	}
	if rows < 500 {
		t.Errorf("the pages show %d rows", rows)
	}
}

// TestKnown: published numbers stand where the book says them.
func TestKnown(t *testing.T) {
	known := map[string]map[string]string{
		"english": {"games": "577116156815309849672", "solutions": "40861647040079968", "positions": "187636299",
			"classes": "23475688"},
		"triangle15":   {"games": "568630", "solutions": "6816"}, // G. I. Bell
		"mousetrap-15": {"winning": "2527701273"},                // OEIS A007709
	}
	list := records(t)
	files := site(t, "All results", list)
	for _, r := range list {
		p := parse(t, r.Name, files[r.Folder()+"/"+index])
		for name, want := range known[r.Name] {
			if p.numbers[name] != want {
				t.Errorf("%s: %s is %q, want %s", r.Name, name, p.numbers[name], want)
			}
		}
		delete(known, r.Name)
	}
	if len(known) > 0 {
		t.Errorf("there are no records of %v", known)
	}
}

// TestBoards: the page of the centre game draws start and goal, with a peg less and a peg alone.
func TestBoards(t *testing.T) {
	r := read(t, "../../../docs/book/records/english.json")
	files := site(t, "All results", []*Record{r})
	for name, pegs := range map[string]int{"start": 32, "goal": 1} {
		svg := string(files[r.Folder()+"/board-"+name+".svg"])
		if n := strings.Count(svg, `<circle`); n != 33 {
			t.Errorf("%s has %d holes", name, n)
		}
		if n := strings.Count(svg, `fill="#2b6cb0"`); n != pegs {
			t.Errorf("%s has %d pegs, want %d", name, n, pegs)
		}
		if !bytes.Contains(files[r.Folder()+"/"+index], []byte(svg)) {
			t.Errorf("the page does not show the %s", name)
		}
	}
}

// TestLabel: the first number of a result is named by its meaning where that is short.
func TestLabel(t *testing.T) {
	for _, c := range []struct{ name, doc, want string }{
		{"raw", "initial grids", "initial grids"},
		{"games", "jump sequences from the start that end in a position without a jump", "games"},
		{"winnable_classes", "", "winnable classes"},
	} {
		h := headline{Name: c.name, Doc: c.doc, Value: "1"}
		if got := h.label(); got != c.want {
			t.Errorf("%s, %q: the label is %q", c.name, c.doc, got)
		}
	}
}

// TestOrder: the order of the records does not matter.
func TestOrder(t *testing.T) {
	list := records(t)
	want := site(t, "All results", list)
	slices.Reverse(list)
	got := site(t, "All results", list)
	for name := range want {
		if !bytes.Equal(want[name], got[name]) {
			t.Errorf("%s depends on the order", name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d files, %d in another order", len(want), len(got))
	}
}

func TestNatural(t *testing.T) {
	want := []string{"", "a", "triangle5", "triangle05", "triangle10", "triangle10b", "triangles"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, natural)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestEscapes: texts of a record are text on its page, and stay in place in its citation.
func TestEscapes(t *testing.T) {
	r := triangle(t)
	r.Question = `games <script>alert(1)</script> & "100 %_{}$#`
	files := site(t, "<b>", []*Record{r})
	for _, name := range []string{index, r.Folder() + "/" + index} {
		p := parse(t, name, files[name])
		if p.elements["b"] > 10 || p.elements["script"] != scripts(name) || !strings.Contains(p.text, r.Question) {
			t.Errorf("%s does not escape a text", name)
		}
	}
	if got := r.bibTeX(); !strings.Contains(got, `<script>alert(1)</script> \& "100 \%\_\{\}\$\#`) {
		t.Errorf("BibTeX: %s", got)
	}
}

// TestPlainLinks: a name of a run or a table cannot lead out of the folder of the book.
func TestPlainLinks(t *testing.T) {
	for what, change := range map[string]func(*Record){
		"name":   func(r *Record) { r.Name = "../x" },
		"table":  func(r *Record) { r.Tables[0].Name = "../x" },
		"column": func(r *Record) { r.Tables[0].Columns[2].Name = "a/b" },
	} {
		r := triangle(t)
		change(r)
		if b, err := r.Encode(); err != nil {
			t.Fatal(err)
		} else if _, err := Decode(b); !errors.Is(err, ErrRecord) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
