package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const root = "../.."

func read(t *testing.T) []File {
	t.Helper()
	files, err := Read(root)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// source is the text of all Go files, tests and tools included.
func source(t *testing.T, want func(path string) bool) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root:
			return filepath.SkipDir
		case filepath.Ext(path) != ".go" || !want(path):
			return nil
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	})
	if err != nil || len(all) < 10 {
		t.Fatalf("%d files: %v", len(all), err)
	}
	return all
}

func TestSplit(t *testing.T) {
	for line, want := range map[string][][]string{
		`a 'b c' "d" # e`:               {{"a", "b c", "d"}},
		`a --x=y > f | c -d && e &`:     {{"a", "--x=y"}, {"c", "-d"}, {"e"}},
		`a 2>f --x 2 2> g`:              {{"a", "--x", "2"}},
		`a $(b c)/d --output text|json`: {{"a", "$(b c)/d", "--output", "text|json"}},
		`a --data DIR | --url URL`:      {{"a", "--data", "DIR"}, {"--url", "URL"}},
		`X=1 a '44|0_|11'`:              {{"X=1", "a", "44|0_|11"}},
	} {
		if got := Split(line); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// anchor is the name that a heading has in a link, as GitHub makes it.
func anchor(heading string) string {
	heading = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`).ReplaceAllString(heading, "$1")
	heading = strings.ToLower(strings.TrimSpace(strings.TrimLeft(heading, "#")))
	heading = regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(heading, "")
	return strings.ReplaceAll(heading, " ", "-")
}

// TestLinks follows each link of the documents to a file, and to a heading of it.
func TestLinks(t *testing.T) {
	headings := make(map[string]map[string]bool)
	files := read(t)
	for i := range files {
		seen := make(map[string]bool)
		for _, l := range files[i].Lines {
			if !l.Block && strings.HasPrefix(l.Text, "#") {
				seen[anchor(l.Text)] = true
			}
		}
		headings[files[i].Name] = seen
	}
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	found := 0
	for i := range files {
		f := &files[i]
		for n, l := range f.Lines {
			if l.Block {
				continue
			}
			for _, m := range link.FindAllStringSubmatch(l.Text, -1) {
				found++
				if strings.Contains(m[1], "://") {
					continue // the network is not asked
				}
				target, heading, _ := strings.Cut(m[1], "#")
				name := f.Name
				if target != "" {
					name = filepath.ToSlash(filepath.Join(filepath.Dir(f.Name), target))
				}
				if _, err := os.Stat(filepath.Join(root, name)); err != nil {
					t.Errorf("%s: link %s: there is no file %s", f.At(n), m[1], name)
				} else if heading != "" && !headings[name][heading] {
					t.Errorf("%s: link %s: %s has no heading #%s", f.At(n), m[1], name, heading)
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d links were found", found)
	}
}

// TestPaths demands that files, make targets, tests and packages that the documents name are there.
func TestPaths(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	functions := make(map[string]bool)
	declared := regexp.MustCompile(`(?m)^func (?:\([^)]*\) )?((?:Test|Benchmark|Fuzz)\w+)\(`)
	for _, text := range source(t, func(path string) bool { return strings.HasSuffix(path, "_test.go") }) {
		for _, m := range declared.FindAllStringSubmatch(text, -1) {
			functions[m[1]] = true
		}
	}
	target := regexp.MustCompile(`(?:^|[\x60 (])make ([a-z0-9][a-z0-9-]*)`)
	path := regexp.MustCompile(`(?:^|[\x60 ("'=])(` +
		`(?:\./)?(?:configs|tools|internal|cmd|test|bench|deploy|docs)/[\w./-]*\w|\.ci/run)`)
	test := regexp.MustCompile("`((?:Test|Benchmark|Fuzz)[A-Z]\\w+)`")
	// Places for the reader's own.
	made := regexp.MustCompile(`^configs/(NAME|knight)\.yaml$`)
	files := read(t)
	for i := range files {
		f := &files[i]
		for n, l := range f.Lines {
			code := l.Block
			for _, m := range target.FindAllStringSubmatch(l.Text, -1) {
				quoted := strings.Contains(l.Text, "`make "+m[1])
				if (code && strings.HasPrefix(strings.TrimSpace(l.Text), "make") || quoted) &&
					!regexp.MustCompile(`(?m)^`+m[1]+`:`).Match(makefile) {
					t.Errorf("%s: make %s: the Makefile has no such target", f.At(n), m[1])
				}
			}
			for _, m := range path.FindAllStringSubmatch(l.Text, -1) {
				name := strings.TrimPrefix(m[1], "./")
				if made.MatchString(name) || strings.Contains(l.Text, "../shared") {
					continue
				}
				if _, err := os.Stat(filepath.Join(root, strings.TrimSuffix(name, "/..."))); err != nil {
					if _, below := os.Stat(filepath.Join(root, filepath.Dir(f.Name), name)); below != nil {
						t.Errorf("%s: %s: there is no such file", f.At(n), m[1])
					}
				}
			}
			for _, m := range test.FindAllStringSubmatch(l.Text, -1) {
				if !functions[m[1]] {
					t.Errorf("%s: %s: no test has this name", f.At(n), m[1])
				}
			}
		}
	}
}

// section returns a heading of a document and the text below it, up to the next heading of any rank.
func section(t *testing.T, files []File, name, heading string) string {
	t.Helper()
	var b strings.Builder
	for i := range files {
		if files[i].Name != name {
			continue
		}
		in := false
		for _, l := range files[i].Lines {
			if !l.Block && strings.HasPrefix(l.Text, "#") {
				in = l.Text == heading
			}
			if in {
				b.WriteString(l.Text + "\n")
			}
		}
	}
	if b.Len() == 0 {
		t.Fatalf("%s has no heading %s", name, heading)
	}
	return b.String()
}

// TestExitCodes compares the table of exit codes with the constants of the program.
func TestExitCodes(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "internal/app/cli/exit.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	have := make(map[string]string)
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			if code, ok := v.Values[0].(*ast.BasicLit); ok && code.Kind == token.INT {
				have[code.Value] = v.Names[0].Name
			}
		}
	}
	said := make(map[string]bool)
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(
		section(t, read(t), "docs/cli.md", "## Exit codes"), -1) {
		said[m[1]] = true
		if have[m[1]] == "" {
			t.Errorf("docs/cli.md: exit code %s: the program has no such code", m[1])
		}
	}
	for code, name := range have {
		if !said[code] {
			t.Errorf("docs/cli.md: exit code %s (%s) is missing in the table", code, name)
		}
	}
	if len(have) < 8 {
		t.Errorf("only %d codes were found", len(have))
	}
}

// TestMetrics compares the metrics that documents, alerts and the dashboard name with those that the program has.
func TestMetrics(t *testing.T) {
	have := make(map[string]bool)
	// The names stand alone, or with their help behind them, in calls and fields of this room.
	name := regexp.MustCompile(`(?:Name: |\w+\(|\{)\s*"([a-z]+(?:_[a-z]+)+)",`)
	for _, text := range source(t, func(path string) bool {
		return strings.HasPrefix(path, root+"/internal/fleet/ops/") && !strings.HasSuffix(path, "_test.go")
	}) {
		for _, m := range name.FindAllStringSubmatch(text, -1) {
			have["pagoda_"+m[1]] = true
		}
	}
	named := regexp.MustCompile(`\bpagoda_[a-z][a-z_]*[a-z]`)
	said := make(map[string]bool)
	files := read(t)
	for i := range files {
		f := &files[i]
		for n, l := range f.Lines {
			for _, m := range named.FindAllString(l.Text, -1) {
				said[m] = true
				base := m
				for _, end := range []string{"_bucket", "_sum", "_count"} {
					base = strings.TrimSuffix(base, end)
				}
				if !have[m] && !have[base] {
					t.Errorf("%s: %s: the program has no such metric", f.At(n), m)
				}
			}
		}
	}
	for m := range have {
		if !said[m] {
			t.Errorf("docs/fleet.md: %s: no document says what this metric is", m)
		}
	}
	if len(have) < 20 {
		t.Errorf("only %d metrics were found", len(have))
	}
}

// TestEnvironment compares the variables that documents name with those that the programs read.
func TestEnvironment(t *testing.T) {
	literal := regexp.MustCompile(`"((?:AWS|GOMEMLIMIT|NO_COLOR|TERM|KUBECONFIG|TESTED)[A-Z0-9_]*)(?:=[^"]*)?"`)
	have := make(map[string]bool)
	all := source(t, func(string) bool { return true })
	for path, text := range all {
		for _, m := range literal.FindAllStringSubmatch(text, -1) {
			have[m[1]] = have[m[1]] || !strings.HasSuffix(path, "_test.go") && !strings.HasPrefix(path, root+"/test/")
		}
	}
	// Read by the library for S3, of which the program's own files name the file alone.
	library := []string{"AWS_PROFILE", "AWS_SHARED_CREDENTIALS_FILE"}
	named := regexp.MustCompile(`\b(?:AWS_[A-Z0-9_]+|GOMEMLIMIT|NO_COLOR|TESTED_[A-Z]+)\b`)
	said := make(map[string]bool)
	files := read(t)
	for i := range files {
		f := &files[i]
		for n, l := range f.Lines {
			for _, m := range named.FindAllString(l.Text, -1) {
				said[m] = true
				if _, known := have[m]; !known && !slices.Contains(library, m) {
					t.Errorf("%s: %s: no program reads this variable", f.At(n), m)
				}
			}
		}
	}
	for m, programs := range have {
		if programs && !said[m] && m != "TERM" {
			t.Errorf("docs/cli.md: %s: no document names this variable, which the program reads", m)
		}
	}
}

// TestLineNumbers reads a small document.
func TestLineNumbers(t *testing.T) {
	f := File{Name: "x.md", Lines: lines("a\n\n    $ coordinator b\n    c\n\n```sh\nworker d \\\n  e\n```\n")}
	c := f.Commands("coordinator")
	if len(c) != 1 || c[0].At != "x.md:"+strconv.Itoa(3) || len(c[0].Output) != 2 || c[0].Words[1] != "b" {
		t.Errorf("%+v", c)
	}
	w := f.Commands("worker")
	if len(w) != 1 || !slices.Equal(w[0].Words, []string{"worker", "d", "e"}) {
		t.Errorf("%+v", w)
	}
}
