package certificate_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/certificate"
	"pagoda/internal/run/trust"
)

func golden(t testing.TB) (*certificate.Certificate, []byte) {
	t.Helper()
	data, err := os.ReadFile("testdata/triangle15.json")
	if err != nil {
		t.Fatal(err)
	}
	c, err := certificate.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return c, data
}

// The form does not change unnoticed: certificates that exist must be read for ever.
func TestGoldenForm(t *testing.T) {
	c, data := golden(t)
	again, err := c.Encode()
	if err != nil || !bytes.Equal(again, data) {
		t.Errorf("it is written otherwise now: %s, %v", again, err)
	}
	if c.Root.String() != "deb768e5738c098e97c7f5b4cc8cef2f76bc27d6cc8aa39e6799dac8c7a64011" {
		t.Errorf("root %s", c.Root)
	}
}

// TestWords: words are written and read, and are refused where they contradict themselves or the number of windows. The
// golden certificate is older, and has none.
func TestWords(t *testing.T) {
	c, _ := golden(t)
	if c.Words != nil {
		t.Fatal("the certificate is not an older one")
	}
	for _, bad := range []trust.Words{
		{Own: c.Windows - 1}, {Own: c.Windows, One: 1, Parties: 1}, {Own: c.Windows + 1, Unknown: -1}, {One: c.Windows},
	} {
		if c.Words = &bad; !errors.Is(c.Check(), certificate.ErrForm) {
			t.Errorf("%+v of %d windows pass", bad, c.Windows)
		}
	}
	c.Words = &trust.Words{Own: 1, One: c.Windows - 1, Parties: 1, Audits: &trust.Shares{All: 0.02, Own: 0.005}}
	if got := clone(t, c); !reflect.DeepEqual(got.Words, c.Words) {
		t.Errorf("%+v is read as %+v", c.Words, got.Words)
	}
}

// clone copies a certificate through its JSON.
func clone(t testing.TB, c *certificate.Certificate) *certificate.Certificate {
	t.Helper()
	b, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	out, err := certificate.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// changes calls fn once for every way to change one thing in the value, with the place that is changed. Every number,
// text and hash is changed, every list loses its last element, has its last one twice, and its first two exchanged.
func changes(v reflect.Value, place string, fn func(place string)) {
	restore := func(old reflect.Value, change func()) {
		saved := reflect.New(v.Type()).Elem()
		saved.Set(old)
		change()
		fn(place)
		v.Set(saved)
	}
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		restore(v, func() { v.SetInt(v.Int() + 1) })
		restore(v, func() { v.SetInt(-1) })
	case reflect.Uint64:
		restore(v, func() { v.SetUint(v.Uint() + 1) })
	case reflect.String:
		restore(v, func() { v.SetString(v.String() + "0") })
		restore(v, func() { v.SetString("") })
	case reflect.Array:
		restore(v, func() { v.Index(7).SetUint(v.Index(7).Uint() ^ 1) })
	case reflect.Slice:
		n := v.Len()
		if n > 0 {
			restore(v, func() { v.Set(v.Slice(0, n-1)) })
			restore(v, func() { v.Set(reflect.Append(v.Slice3(0, n, n), v.Index(n-1))) })
		}
		if n > 1 && !reflect.DeepEqual(v.Index(0).Interface(), v.Index(1).Interface()) {
			swapped := reflect.MakeSlice(v.Type(), n, n)
			reflect.Copy(swapped, v)
			first := reflect.ValueOf(v.Index(0).Interface())
			swapped.Index(0).Set(swapped.Index(1))
			swapped.Index(1).Set(first)
			restore(v, func() { v.Set(swapped) })
		}
		for i := range n {
			changes(v.Index(i), fmt.Sprintf("%s[%d]", place, i), fn)
		}
	case reflect.Pointer:
		changes(v.Elem(), place, fn)
	case reflect.Float64:
		restore(v, func() { v.SetFloat(v.Float() / 2) })
		restore(v, func() { v.SetFloat(-1) })
	case reflect.Struct:
		for i := range v.NumField() {
			changes(v.Field(i), place+"."+v.Type().Field(i).Name, fn)
		}
	default:
		panic(place + " is of a kind that is not changed")
	}
}

// withColumns is the golden certificate with columns of a table, which it is too old to have.
func withColumns(t *testing.T) (*certificate.Certificate, []puzzle.Table) {
	t.Helper()
	c, _ := golden(t)
	if c.Columns != nil {
		t.Fatal("the certificate is not an older one")
	}
	count := func(n uint64) puzzle.Value { return puzzle.Value{N: uint128.From(n)} }
	tables := []puzzle.Table{{Name: "layers", Columns: []puzzle.Column{{Name: "paths", Kind: puzzle.Count},
		{Name: "share", Kind: puzzle.Text}}, Rows: [][]puzzle.Value{{count(1), {S: "1/2"}}, {count(20), {S: ""}}}}}
	c.Columns = certificate.ColumnsOf(tables)
	return c, tables
}

// TestColumns: a column is bound by the SHA-256 of its lines, and a table in which anything is changed is not the one
// of the certificate.
func TestColumns(t *testing.T) {
	c, tables := withColumns(t)
	for i, want := range []string{"1\n20\n", "1/2\n\n"} {
		if got := c.Columns[i]; got.Rows != 2 || got.Digest != sha256.Sum256([]byte(want)) || got.Table != "layers" {
			t.Errorf("%+v, want the digest of %q", got, want)
		}
	}
	if got := clone(t, c); !reflect.DeepEqual(got.Columns, c.Columns) {
		t.Errorf("%+v is read as %+v", c.Columns, got.Columns)
	}
	if err := c.CheckTables(tables); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*puzzle.Table) []puzzle.Table{
		"table layers, column paths has 2 rows with digest": func(l *puzzle.Table) []puzzle.Table {
			l.Rows[1][0].N = uint128.From(21)
			return []puzzle.Table{*l}
		},
		"table layers, column share has 2 rows with digest": func(l *puzzle.Table) []puzzle.Table {
			l.Rows[1][1].S = "1"
			return []puzzle.Table{*l}
		},
		"table layers, column paths has 1 row with digest": func(l *puzzle.Table) []puzzle.Table {
			l.Rows = l.Rows[:1]
			return []puzzle.Table{*l}
		},
		"table layers, column ways: its certificate has another": func(l *puzzle.Table) []puzzle.Table {
			l.Columns[0].Name = "ways"
			return []puzzle.Table{*l}
		},
		"it lacks table layers, column share": func(l *puzzle.Table) []puzzle.Table {
			l.Columns = l.Columns[:1]
			return []puzzle.Table{*l}
		},
		"it lacks table layers, column paths": func(*puzzle.Table) []puzzle.Table { return nil },
		"table more, column paths: its certificate has another": func(l *puzzle.Table) []puzzle.Table {
			more := *l
			more.Name = "more"
			return []puzzle.Table{*l, more}
		},
	} {
		c, tables := withColumns(t)
		if err := c.CheckTables(change(&tables[0])); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if older, _ := golden(t); older.CheckTables(tables) != nil || certificate.Compare(c, older) != nil {
		t.Error("a certificate without columns is held to them")
	}
	c.Columns = append(c.Columns, c.Columns[0])
	if err := c.Check(); err == nil || !strings.Contains(err.Error(), "table layers, column paths is without a name, ") {
		t.Errorf("a column that is there twice: %v", err)
	}
}

// TestEveryFieldChanged: every change of a certificate is noticed, except in the fields that are not compared.
func TestEveryFieldChanged(t *testing.T) {
	ours, _ := withColumns(t)
	ours.Words = &trust.Words{One: ours.Windows, Parties: 1, Audits: &trust.Shares{All: 0.02, Own: 0.005}}
	theirs := clone(t, ours)
	free := []string{".Program", ".Checks", ".Parties", ".Settings", ".Words"}
	seen, uncompared := 0, make(map[string]bool)
	changes(reflect.ValueOf(theirs).Elem(), "", func(place string) {
		seen++
		b, err := theirs.Encode()
		if err != nil {
			t.Fatal(err)
		}
		c, err := certificate.Decode(b)
		if err != nil {
			if !errors.Is(err, certificate.ErrForm) {
				t.Fatalf("%s: %v", place, err)
			}
			return
		}
		if d := certificate.Compare(ours, c); d != nil {
			return
		}
		if place == ".Columns" {
			return // fewer of them: as an older version of the program has
		}
		for _, f := range free {
			if strings.HasPrefix(place, f) {
				uncompared[f] = true
				return
			}
		}
		t.Errorf("%s can be changed unnoticed", place)
	})
	if seen < 1000 || len(uncompared) != len(free) {
		t.Errorf("%d changes; not compared: %v", seen, uncompared)
	}
	if d := certificate.Compare(ours, theirs); d != nil {
		t.Errorf("a change was not taken back: %v", d)
	}
}

// A liar that computes every hash anew is found by comparing, in the cell of the lie.
func TestCompareNamesTheCell(t *testing.T) {
	honest := []certificate.Window{
		window(0, "a", 0), window(1, "a", 0), window(1, "b", 0), window(1, "b", 1), window(1, "c", 0), window(2, "a", 0),
	}
	ours := build(t, someRun, honest)
	for _, c := range []struct {
		want   string
		change func(list []certificate.Window) []certificate.Window
	}{
		{"layer 1, cell b", func(l []certificate.Window) []certificate.Window { l[3].Digest[0] ^= 1; return l }},
		{"layer 1, cell b", func(l []certificate.Window) []certificate.Window { l[2].Rows++; l[5].Rows++; return l }},
		{"layer 1, cell c, its only window", func(l []certificate.Window) []certificate.Window {
			if err := l[4].Tally.AddIn(puzzle.Cell{Key: "a"}, puzzle.Flow{}.Amount); err != nil {
				t.Fatal(err)
			}
			return l
		}},
		{"layer 1, cell b, windows", func(l []certificate.Window) []certificate.Window { return slices.Delete(l, 3, 4) }},
		{"layer 1, cell c", func(l []certificate.Window) []certificate.Window { return slices.Delete(l, 4, 5) }},
		{"layer 1, cell bb", func(l []certificate.Window) []certificate.Window {
			return slices.Insert(l, 4, window(1, "bb", 0))
		}},
		{"layer 2", func(l []certificate.Window) []certificate.Window { return l[:5] }},
		{"layer 3", func(l []certificate.Window) []certificate.Window { return append(l, window(3, "a", 0)) }},
		{"layer 0", func(l []certificate.Window) []certificate.Window { return l[1:] }},
	} {
		theirs := build(t, someRun, c.change(slices.Clone(honest)))
		for _, pair := range [][2]*certificate.Tree{{&ours, &theirs}, {&theirs, &ours}} {
			d := certificate.CompareTrees(pair[0], pair[1])
			if d == nil || d.Place != c.want {
				t.Errorf("%v, want %s", d, c.want)
			}
		}
		if theirs.Root == ours.Root {
			t.Errorf("%s: the same root", c.want)
		}
	}
	if d := certificate.CompareTrees(&ours, &ours); d != nil {
		t.Error(d)
	}
	// Of a run that is not complete, the cells that are there.
	part := build(t, someRun, honest[1:4])
	if d, cells, windows := certificate.CompareCells(&part, &ours); d != nil || cells != 2 || windows != 3 {
		t.Errorf("%v, %d cells, %d windows", d, cells, windows)
	}
	honest[2].Rows++
	part = build(t, someRun, honest[1:4])
	if d, _, _ := certificate.CompareCells(&part, &ours); d == nil || d.Place != "layer 1, cell b" {
		t.Errorf("%v", d)
	}
	part = build(t, someRun, []certificate.Window{window(7, "q", 0)})
	if d, _, _ := certificate.CompareCells(&part, &ours); d == nil || d.Place != "layer 7, cell q" || d.Theirs != "" {
		t.Errorf("%v", d)
	}
}

// Where the parameters differ, the difference names them, and says whether the totals agree all the same.
func TestCompareParameters(t *testing.T) {
	ours, _ := golden(t)
	theirs := clone(t, ours)
	last := len(theirs.Params) - 1
	theirs.Params[last].Value = "20000"
	d := certificate.Compare(ours, theirs)
	want := "parameter window_addresses: 4194304 here, 20000 in the certificate (another run; all totals are the same)"
	if d == nil || d.String() != want {
		t.Errorf("%v, want %s", d, want)
	}
	theirs.Totals[0].Value = "hexagon"
	if d = certificate.Compare(ours, theirs); d == nil || d.Explanation != "another run; totals differ too" {
		t.Errorf("%v", d)
	}
	theirs.Params = theirs.Params[:last]
	if d = certificate.Compare(ours, theirs); d == nil || d.Place != "parameter window_addresses" || d.Theirs != "" ||
		!strings.Contains(d.String(), ": 4194304 here, absent in the certificate") {
		t.Errorf("%v", d)
	}
	theirs = clone(t, ours)
	theirs.Layers[1].Cells[0].Root[0]++
	if d = certificate.Compare(ours, theirs); d == nil || !strings.HasPrefix(d.Place, "layer ") {
		t.Errorf("%v", d)
	}
	theirs.Run = "0123456789ab"
	if d = certificate.Compare(ours, theirs); d == nil || d.Place != "run" {
		t.Errorf("%v", d)
	}
	theirs.Puzzle = "tiles"
	if d = certificate.Compare(ours, theirs); d == nil || d.Place != "puzzle" {
		t.Errorf("%v", d)
	}
}

func TestDecodeRefuses(t *testing.T) {
	_, data := golden(t)
	for name, change := range map[string][2]string{
		"unknown field":          {`"windows": 234`, `"extra": 1, "windows": 234`},
		"missing field":          {`"plan":`, `"plane":`},
		"doubled field":          {`"windows": 234,`, `"windows": 234, "windows": 234,`},
		"other case":             {`"windows": 234`, `"Windows": 234`},
		"exponent":               {`"windows": 234`, `"windows": 2.34e2`},
		"no version":             {`"version": 1,`, ``},
		"another version":        {`"version": 1,`, `"version": 2,`},
		"another form":           {`"pagoda run"`, `"pagoda walk"`},
		"hash in capitals":       {`deb768e5`, `DEB768E5`},
		"short hash":             {`deb768e5`, `deb768e`},
		"longer hash":            {`deb768e5`, `deb768e5e`},
		"escaped letter":         {`"triangle5"`, `"tri\u0061ngle5"`},
		"no run ID":              {`"accf384b05eb"`, `"accf384b05ebff"`},
		"rows with zeros":        {`"rows": "1594"`, `"rows": "01594"`},
		"rows that are no count": {`"rows": "1594"`, `"rows": "-1"`},
		"null":                   {`"checks": {`, `"checks": null, "x": {`},
		"trailing data":          {"\n}\n", "\n}\n{}"},
	} {
		bad := strings.Replace(string(data), change[0], change[1], 1)
		if bad == string(data) {
			t.Fatalf("%s changes nothing", name)
		}
		if c, err := certificate.Decode([]byte(bad)); !errors.Is(err, certificate.ErrForm) {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
	// Space between the parts says nothing.
	if _, err := certificate.Decode(bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n\t"))); err != nil {
		t.Error(err)
	}
}

// TestRefusalsSay: a refusal names the first place that is wrong, also where a root beyond it is wrong too.
func TestRefusalsSay(t *testing.T) {
	_, data := golden(t)
	var compact bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		t.Fatal(err)
	}
	_, err := certificate.Decode(bytes.Replace(data, []byte(`"triangle5"`), []byte(`"tri\u0061ngle5"`), 1))
	if at := fmt.Sprintf("from byte %d on", bytes.Index(compact.Bytes(), []byte(`"triangle5"`))+4); err == nil ||
		!strings.Contains(err.Error(), at) {
		t.Errorf("%v, want %s", err, at)
	}
	wide := func(c *certificate.Certificate) []certificate.Cell {
		for i := range c.Layers {
			if cells := c.Layers[i].Cells; len(cells) > 1 {
				return cells
			}
		}
		t.Fatal("no layer of two cells")
		return nil
	}
	for want, change := range map[string]func(c *certificate.Certificate){
		"is not a name, or out of order": func(c *certificate.Certificate) { slices.Reverse(wide(c)) },
		`cell "a/b" is not a name`:       func(c *certificate.Certificate) { wide(c)[0].Key = "a/b" },
		"has 0 windows":                  func(c *certificate.Certificate) { wide(c)[0].Windows = 0 },
		"layer -1 is out of order":       func(c *certificate.Certificate) { c.Layers[0].Layer = -1 },
		"is out of order":                func(c *certificate.Certificate) { c.Layers[1].Layer = c.Layers[0].Layer },
		"and its layers have 234":        func(c *certificate.Certificate) { c.Windows++ },
		"the root is":                    func(c *certificate.Certificate) { c.Root = c.Layers[0].Root },
		"totals: the name":               func(c *certificate.Certificate) { c.Totals = append(c.Totals, c.Totals[0]) },
		`params: the name ""`:            func(c *certificate.Certificate) { c.Params[0].Name = "" },
	} {
		c, _ := golden(t)
		change(c)
		if err := c.Check(); !errors.Is(err, certificate.ErrForm) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	// Too much is refused unread.
	_, err = certificate.Decode(make([]byte, certificate.MaxBytes+1))
	if err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("%d bytes: %v", certificate.MaxBytes+1, err)
	}
	_, proof := goldenProof(t)
	space := bytes.Repeat([]byte(" "), certificate.MaxProofBytes+1-len(proof))
	if _, err := certificate.DecodeProof(append(proof, space[1:]...)); err != nil {
		t.Errorf("%d bytes: %v", certificate.MaxProofBytes, err)
	}
	if _, err := certificate.DecodeProof(append(proof, space...)); !errors.Is(err, certificate.ErrForm) {
		t.Errorf("%d bytes: %v", certificate.MaxProofBytes+1, err)
	}
}

// TestChecksInRange: the numbers of a certificate's checks lie between 0 and that of its windows.
func TestChecksInRange(t *testing.T) {
	for what, number := range map[string]func(*certificate.Certificate) (n *int, bounded bool){
		"edges":      func(c *certificate.Certificate) (*int, bool) { return &c.Checks.Edges, false },
		"auditors":   func(c *certificate.Certificate) (*int, bool) { return &c.Checks.Auditors, false },
		"parties":    func(c *certificate.Certificate) (*int, bool) { return &c.Parties, false },
		"read":       func(c *certificate.Certificate) (*int, bool) { return &c.Checks.Read, true },
		"recomputed": func(c *certificate.Certificate) (*int, bool) { return &c.Checks.Recomputed, true },
		"audited":    func(c *certificate.Certificate) (*int, bool) { return &c.Checks.Audited, true },
	} {
		c, _ := golden(t)
		n, bounded := number(c)
		for value, good := range map[int]bool{-1: false, 0: true, c.Windows: true, c.Windows + 1: !bounded} {
			*n = value
			err := c.Check()
			if (err == nil) != good ||
				err != nil && (!errors.Is(err, certificate.ErrForm) || !strings.Contains(err.Error(), what)) {
				t.Errorf("%d %s: %v", value, what, err)
			}
		}
	}
}

// TestCompareCells compares the tree of a run that is not complete with the whole one.
func TestCompareCells(t *testing.T) {
	list := []certificate.Window{
		window(0, "a", 0), window(0, "b", 0), window(0, "b", 1), window(1, "a", 0), window(2, "a", 0),
	}
	whole := build(t, someRun, list)
	for name, c := range map[string]struct {
		change         func([]certificate.Window) []certificate.Window
		place          string // "": none differs
		cells, windows int
	}{
		"the first layers": {func(l []certificate.Window) []certificate.Window { return l[:4] }, "", 3, 4},
		"a changed window": {func(l []certificate.Window) []certificate.Window {
			l[2].Rows = 1
			return l
		}, "layer 0, cell b", 2, 3},
		"a changed cell": {func(l []certificate.Window) []certificate.Window {
			l[3].Rows = 1
			return l
		}, "layer 1, cell a, its only window", 3, 4},
		"a cell too many": {func(l []certificate.Window) []certificate.Window {
			return append(l[:4:4], window(1, "z", 0))
		}, "layer 1, cell z", 3, 4},
	} {
		ours := build(t, someRun, c.change(slices.Clone(list)))
		d, cells, windows := certificate.CompareCells(&ours, &whole)
		place := ""
		if d != nil {
			place = d.Place
		}
		if place != c.place || cells != c.cells || windows != c.windows {
			t.Errorf("%s: %q after %d cells of %d windows, want %q after %d of %d", name, place, cells, windows, c.place,
				c.cells, c.windows)
		}
	}
}

func TestMergeKeepsTheMost(t *testing.T) {
	a := certificate.Checks{Edges: 3, SecondCounts: []string{"x"}, Read: 9, Audited: 2, Auditors: 1}
	b := certificate.Checks{Edges: 5, SecondCounts: []string{}, Recomputed: 4, Auditors: 2}
	less, more := a, b
	a.Merge(&more)
	b.Merge(&less)
	want := certificate.Checks{Edges: 5, SecondCounts: []string{"x"}, Read: 9, Recomputed: 4, Audited: 2, Auditors: 2}
	if !reflect.DeepEqual(a, want) || !reflect.DeepEqual(b, want) {
		t.Errorf("%+v and %+v, want %+v", a, b, want)
	}
}

// A plan's digest is that of the text that its documentation draws.
func TestPlanDigest(t *testing.T) {
	h := certificate.NewPlanHasher()
	h.Add(&puzzle.CellPlan{Cell: puzzle.Cell{Layer: 0, Key: "a"}, Addresses: 7, Cuts: []uint64{0}})
	h.Add(&puzzle.CellPlan{Cell: puzzle.Cell{Layer: 1, Key: "b.c"}, Addresses: 10, Cuts: []uint64{0, 4, 8},
		Parents: []puzzle.Cell{{Layer: 0, Key: "a"}, {Layer: 1, Key: "d"}}})
	text := "cell 0 a addresses 7 cuts 0 parents\ncell 1 b.c addresses 10 cuts 0,4,8 parents 0/a,1/d\n"
	if got, want := h.Sum().String(), fmt.Sprintf("%x", sum([]byte(text))); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func FuzzDecode(f *testing.F) {
	_, data := golden(f)
	f.Add(data)
	f.Add([]byte(`{"certificate":"pagoda run","version":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := certificate.Decode(data)
		if err != nil {
			if !errors.Is(err, certificate.ErrForm) {
				t.Fatal(err)
			}
			return
		}
		again, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		d, err := certificate.Decode(again)
		if err != nil || !reflect.DeepEqual(c, d) {
			t.Fatalf("%+v is read again as %+v, %v", c, d, err)
		}
	})
}
