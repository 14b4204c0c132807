package book

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"pagoda/internal/output/export"
	"pagoda/internal/puzzle"
)

// A File is one of a book. Path has slashes, and is below the folder of the book.
type File struct {
	Path string
	Data []byte
}

// Sums is the name of the file that lists all others with their SHA-256, in the form that sha256sum -c reads.
const Sums = "book.sha256"

// search is the name of the script of the index.
const search = "search.js"

// index is the name of a page in its folder. Links name it: a folder on a disk shows no page by itself.
const index = "index.html"

//go:embed page
var pages embed.FS

var templates = template.Must(template.ParseFS(pages, "page/*.html"))

// Site makes the files of a book. Their bytes depend on the title and the records, and not on the order of the latter.
// No two records are of the same run. The result ends with the file [Sums].
func Site(title string, records []*Record) ([]File, error) {
	records = slices.SortedFunc(slices.Values(records), compare)
	files, err := lists(records)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"book.css", "icon.svg"} {
		b, err := pages.ReadFile("page/" + name)
		if err != nil {
			return nil, err
		}
		files = append(files, File{name, b})
	}
	first, err := indexPage(title, records)
	if err != nil {
		return nil, err
	}
	script, err := searchScript(records)
	if err != nil {
		return nil, err
	}
	files = append(files, first, script)
	for _, r := range records {
		own, err := r.files(title, records)
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", r.Certificate.Run, err)
		}
		files = append(files, own...)
	}
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	var sums bytes.Buffer
	for _, f := range files {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(f.Data), f.Path)
	}
	return append(files, File{Sums, sums.Bytes()}), nil
}

// Folder is the folder of a record in a book.
func (r *Record) Folder() string { return r.Name + "-" + r.Certificate.Run }

// Page is the path of the page of a record in a book.
func (r *Record) Page() string { return r.Folder() + "/" + index }

// compare orders records by puzzle, board and question.
func compare(a, b *Record) int {
	return cmp.Or(natural(a.Puzzle, b.Puzzle), natural(a.Board, b.Board), natural(a.Question, b.Question),
		natural(a.Name, b.Name), cmp.Compare(a.Certificate.Run, b.Certificate.Run))
}

// natural compares texts with their numbers as numbers: triangle5 comes before triangle10.
func natural(a, b string) int {
	for a != "" && b != "" {
		x, y := leadingDigits(a), leadingDigits(b)
		if x == "" || y == "" {
			if c := cmp.Compare(a[0], b[0]); c != 0 {
				return c
			}
			a, b = a[1:], b[1:]
			continue
		}
		m, n := strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		if c := cmp.Or(cmp.Compare(len(m), len(n)), cmp.Compare(m, n), cmp.Compare(len(x), len(y))); c != 0 {
			return c
		}
		a, b = a[len(x):], b[len(y):]
	}
	return cmp.Compare(len(a), len(b))
}

func leadingDigits(s string) string { return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))] }

// lists are the results as a table for programs.
func lists(records []*Record) (files []File, err error) {
	t := puzzle.Table{Name: "results"}
	for _, c := range [][2]string{{"puzzle", "name of the puzzle"}, {"board", "what it is played on"},
		{"question", "what was counted"}, {"fact", "name of the first exact number"}, {"value", "that number"},
		{"run", "ID of the run"}, {"root", "root of its certificate"}, {"page", "page of the result"}} {
		t.Columns = append(t.Columns, puzzle.Column{Name: c[0], Kind: puzzle.Text, Doc: c[1]})
	}
	for _, r := range records {
		h := r.headline()
		var row []puzzle.Value
		for _, text := range []string{r.Puzzle, r.Board, r.Question, h.Name, h.Value, r.Certificate.Run,
			r.Certificate.Root.String(), r.Page()} {
			row = append(row, puzzle.Value{S: text})
		}
		t.Rows = append(t.Rows, row)
	}
	for name, format := range map[string]export.Format{"results.csv": export.CSV, "results.jsonl": export.JSONL} {
		b, err := written(format, &t, "")
		if err != nil {
			return nil, err
		}
		files = append(files, File{name, b})
	}
	return files, nil
}

// A headline is the first exact number of a result; "" where it has none.
type headline struct{ Name, Doc, Value string }

// label says in a few words what is counted: the name of the fact where its meaning takes more.
func (h *headline) label() string {
	const few = 32 // characters
	if h.Doc != "" && len(h.Doc) <= few {
		return h.Doc
	}
	return strings.ReplaceAll(h.Name, "_", " ")
}

func (r *Record) headline() (h headline) {
	for _, f := range r.summary.Facts {
		if f.Kind == puzzle.Count && f.Scalar() {
			return headline{f.Name, f.Doc, f.Value.N.String()}
		}
	}
	return h
}

// The index has a shelf for each puzzle, a board for each of its boards, and on that an entry for each result.
type (
	shelf struct {
		Puzzle string
		Boards []board
	}
	board struct {
		Board   string
		Results []entry
	}
	entry struct {
		Question string
		Link     string
		Fact     string
		Value    template.HTML
		Run      string
	}
)

// indexPage lists all results by puzzle, board and question. The records are in order.
func indexPage(title string, records []*Record) (File, error) {
	var shelves []shelf
	for _, r := range records {
		if n := len(shelves); n == 0 || shelves[n-1].Puzzle != r.Puzzle {
			shelves = append(shelves, shelf{Puzzle: r.Puzzle})
		}
		s := &shelves[len(shelves)-1]
		if n := len(s.Boards); n == 0 || s.Boards[n-1].Board != r.Board {
			s.Boards = append(s.Boards, board{Board: r.Board})
		}
		b := &s.Boards[len(s.Boards)-1]
		b.Results = append(b.Results, r.entry(""))
	}
	return page(index, map[string]any{
		"Root": "", "Title": title, "Results": len(records), "Shelves": shelves, "Sums": Sums, "Search": search,
	})
}

// searchScript is the script of the index, behind the words and numbers of the records in order.
func searchScript(records []*Record) (File, error) {
	script, err := pages.ReadFile("page/" + search)
	if err != nil {
		return File{}, err
	}
	texts := []string{}
	for _, r := range records {
		words := []string{r.Puzzle, r.Board, r.Question, r.Folder()}
		puzzle.Scalars(r.summary.Facts, func(name string, kind puzzle.Kind, v puzzle.Value) {
			words = append(words, name, kind.Plain(v))
		})
		texts = append(texts, strings.ToLower(strings.Join(words, " ")))
	}
	data, err := json.Marshal(texts)
	return File{search, slices.Concat([]byte("const texts = "), data, []byte(";\n\n"), script)}, err
}

// entry is a line of a list of results, on a page in a folder above which up leads.
func (r *Record) entry(up string) entry {
	h := r.headline()
	return entry{Question: r.Question, Link: up + r.Page(), Fact: h.label(), Value: digits(h.Value),
		Run: r.Certificate.Run}
}

// page makes a page from the template of the name of its last part.
func page(path string, data any) (File, error) {
	name := "index.html"
	if path != index {
		name = "result.html"
	}
	var b bytes.Buffer
	err := templates.ExecuteTemplate(&b, name, data)
	return File{path, b.Bytes()}, err
}
