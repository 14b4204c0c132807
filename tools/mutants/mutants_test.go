package main

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// changed lists the changes of a function with this body, each with the lines that it makes of it.
func changed(t *testing.T, function string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "x.go")
	if err := os.WriteFile(file, []byte("package x\n"+function), 0o600); err != nil {
		t.Fatal(err)
	}
	places, err := placesOf(file)
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	for _, p := range places {
		for _, c := range p {
			for line := range strings.Lines(diff(&c)) {
				if added, ok := strings.CutPrefix(line, "\t+"); ok {
					fmt.Fprintf(&list, "%d %s: %s\n", c.line, c.what, strings.TrimSpace(added))
				}
			}
		}
	}
	return list.String()
}

func TestChanges(t *testing.T) {
	for name, c := range map[string]struct{ function, want string }{
		"comparison": {
			"func f(a int) bool {\nreturn a < b\n}", `
3 result negated: return !(a < b)
3 <= for <: return a <= b
3 >= for <: return a >= b
`},
		"condition": {
			"func f() {\nif !ok && a {\n}\n}", `
3 condition false: if false && (!ok && a) {
3 condition negated: if !(!ok && a) {
3 condition true: if true || (!ok && a) {
3 || for &&: if !ok || a {
3 without !: if  ok && a {
`},
		"an error's path is swallowed, never taken without one": {
			"func f() (bool, error) {\nif err != nil {\nreturn false, err\n}\nreturn true, nil\n}", `
3 condition false: if false && (err != nil) {
4 error swallowed: return false, func(error) error { return nil }(err)
6 false for true: return false, nil
`},
		"results": {
			"func f() (n uint64, text string) {\nreturn a.b(), \"\"\n}", `
3 zero returned: return func(uint64) (zero uint64) { return }(a.b()), ""
`},
		"results of the innermost function": {
			"func f() int {\ng(func() T { return t })\nreturn g()\n}", `
3 left out: if false { g(func() T { return t }) }
3 zero returned: g(func() T { return func(T) (zero T) { return }(t) })
4 zero returned: return func(int) (zero int) { return }(g())
`},
		"loops": {
			"func f() {\nfor _, x := range xs.all {\nuse(x)\n}\n}", `
3 left out: if false { for _, x := range xs.all {
3 left out: use(x)
3 left out: } }
5 loop ends after one round: ; break }
3 without the first: for _, x := range xs.all[min(1, len(xs.all)):] {
3 without the last: for _, x := range xs.all[:max(0, len(xs.all)-1)] {
4 left out: if false { use(x) }
`},
		"statements": {
			"func f() {\na := max(b, c)\na += b\nswitch {\ncase a:\nb++\n}\n}", `
4 left out: if false { a += b }
3 min for max: a := min(b, c)
4 -= for +=: a -= b
7 left out: if false { b++ }
7 -- for ++: b--
`},
		"constants": {
			"const page = 4 << 10\n", `
2 >> for <<: const page = 4 >> 10
2 one more: const page = (4+1) << 10
2 one less: const page = (4-1) << 10
2 one more: const page = 4 << (10+1)
2 one less: const page = 4 << (10-1)
`},
		"what a log says": {"func f() {\nlog.InfoContext(ctx, text, n+1)\n}", "\n"},
	} {
		if got := "\n" + changed(t, c.function); got != c.want {
			t.Errorf("%s: got %swant %s", name, got, c.want)
		}
	}
}

// TestChangedSources has every change of this program's own files parse, with as many lines as before.
func TestChangedSources(t *testing.T) {
	for _, file := range []string{"changes.go", "main.go", "trial.go"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		places, err := placesOf(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range places {
			for _, c := range p {
				after := c.apply(source)
				if _, err := parser.ParseFile(token.NewFileSet(), file, after, 0); err != nil {
					t.Errorf("%s, line %d, %s: %v", file, c.line, c.what, err)
				}
				if bytes.Equal(after, source) || bytes.Count(after, []byte("\n")) != bytes.Count(source, []byte("\n")) {
					t.Errorf("%s, line %d, %s: not a change, or another number of lines", file, c.line, c.what)
				}
			}
		}
	}
}

// TestSample tries all changes of some lines of a small package. Its tests do not ask for half of 0, and its sum begins
// with a number that adds nothing. Division by 1 is the same code as multiplication.
func TestSample(t *testing.T) {
	tried := func(line int) (out string) {
		var b bytes.Buffer
		o := options{root: "testdata/sample", seed: 1, at: fmt.Sprintf("sample.go:%d", line), memory: 1 << 20}
		if err := run(t.Context(), o, []string{"."}, &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, c := range []struct {
		line  int
		total string
		lines []string
	}{
		{10, "7 tried,    4 killed,    3 survived; not counted: 0 do not compile, 0 same code", []string{
			"killed    sample.go:10: condition false (TestHalf)\n",
			"killed    sample.go:10: condition true (TestHalf)\n",
			"SURVIVED  sample.go:10: <= for <\n\t-\tif n < 0 {\n\t+\tif n <= 0 {\n",
			"SURVIVED  sample.go:10: one less\n",
		}},
		{13, "4 tried,    4 killed,    0 survived;", nil},
		{19, "3 tried,    2 killed,    1 survived;", []string{
			"killed    sample.go:19: without the last (TestSum)\n",
			"SURVIVED  sample.go:19: without the first\n",
		}},
		{33, "3 tried,    3 killed,    0 survived; not counted: 0 do not compile, 1 same code", nil},
	} {
		got := tried(c.line)
		for _, want := range append(c.lines, c.total) {
			if !strings.Contains(got, want) {
				t.Errorf("line %d: got\n%swant %q", c.line, got, want)
			}
		}
	}
}

// TestHangs has a change that never ends count as killed.
func TestHangs(t *testing.T) {
	dir, err := filepath.Abs("testdata/sample")
	if err != nil {
		t.Fatal(err)
	}
	b, err := open(t.Context(), dir, dir, "sample", t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	b.limit = time.Second
	source, err := os.ReadFile(filepath.Join(dir, "sample.go"))
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(source, []byte("for more"))
	c := change{file: filepath.Join(dir, "sample.go"), from: at, to: at + len("for more"), text: "for true"}
	if got, why, err := b.try(t.Context(), &c); got != killed || why != "timed out" || err != nil {
		t.Errorf("a loop without end: %v, %q, %v", got, why, err)
	}
}

// TestDraw draws one change of every place, the same ones for the same seed.
func TestDraw(t *testing.T) {
	all, err := placesOf("changes.go")
	if err != nil {
		t.Fatal(err)
	}
	drawn := func(seed uint64) string { return fmt.Sprint(draw(append([]place(nil), all...), options{seed: seed})) }
	if drawn(1) != drawn(1) || drawn(1) == drawn(2) {
		t.Error("a seed has two orders, or two seeds have the same")
	}
	if n := len(draw(all, options{seed: 1})); n != len(all) {
		t.Errorf("%d changes of %d places", n, len(all))
	}
}

func TestRefuses(t *testing.T) {
	for want, patterns := range map[string][]string{
		"no package is named": nil, "go list: exit status 1": {"./missing"}, `nothing to change at "sample.go:1"`: {"."},
	} {
		o := options{root: "testdata/sample", seed: 1, at: "sample.go:1", memory: 1 << 20}
		err := run(t.Context(), o, patterns, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", patterns, err)
		}
	}
}
