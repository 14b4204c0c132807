package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pagoda/internal/app/batch"
	"pagoda/internal/app/runs"
	"pagoda/internal/catalog"
	"pagoda/internal/config"
	"pagoda/internal/puzzle/setting"
	"pagoda/test/docs"
)

const root = "../.."

func documents(t *testing.T) []docs.File {
	t.Helper()
	files, err := docs.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// tree is the program's commands, none of which does anything.
func tree() *cobra.Command {
	cmd := (&app{catalog: catalog.All}).root()
	cmd.InitDefaultCompletionCmd("completion")
	cmd.InitDefaultHelpCmd()
	return cmd
}

// all are a command and those below it.
func all(cmd *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		list = append(list, all(c)...)
	}
	return list
}

// placeholder matches a word that the reader replaces.
var placeholder = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$|^configs/NAME\.yaml$|\.\.\.`)

// drawn matches a drawing that begins with no hole, as "-": another test covers how the program reads such words.
var drawn = regexp.MustCompile(`^-[-.o/]*[./][-.o/]*$`)

// parse parses a command line with the command tree, as far as the command itself would begin.
func parse(words []string) error {
	cmd, rest, err := tree().Find(words[1:])
	if err != nil {
		return err
	}
	for i, w := range rest {
		if drawn.MatchString(w) {
			rest[i] = "center"
		}
	}
	cmd.InitDefaultHelpFlag()
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if help, err := cmd.Flags().GetBool("help"); err == nil && help {
		return nil
	}
	args := cmd.Flags().Args()
	if cmd.HasSubCommands() {
		return fmt.Errorf("%s has no command %q", cmd.CommandPath(), args)
	}
	if slices.ContainsFunc(args, placeholder.MatchString) {
		return nil
	}
	if err := cmd.ValidateArgs(args); err != nil {
		return err
	}
	return load(cmd, args)
}

// load reads the config that a command line names, with its settings, or its batch.
func load(cmd *cobra.Command, args []string) error {
	set := cmd.Flags().Lookup("set")
	if set == nil || len(args) != 1 || !strings.HasPrefix(args[0], "configs/") {
		return nil
	}
	var overrides []config.Override
	for _, s := range set.Value.(pflag.SliceValue).GetSlice() {
		v, err := config.ParseSet(s)
		if err != nil {
			return err
		}
		overrides = append(overrides, v)
	}
	loader, path := runs.Loader{Catalog: catalog.All}, filepath.Join(root, args[0])
	if len(overrides) == 0 && batch.Holds(path) && strings.Contains(cmd.Use, "BATCH") {
		_, err := batch.Load(context.Background(), loader, path, "")
		return err
	}
	_, err := loader.Load(context.Background(), path, overrides)
	return err
}

// TestDocumentedCommands parses every command line of the documents and of its own help with the command tree.
func TestDocumentedCommands(t *testing.T) {
	found := 0
	files := documents(t)
	for i := range files {
		for _, c := range files[i].Commands("coordinator") {
			if c.Form || placeholder.MatchString(c.Words[1]) {
				continue // forms are read below
			}
			if c.Words[1] == "knight" {
				continue // the puzzle of docs/adding-a-puzzle.md
			}
			found++
			if err := parse(c.Words); err != nil {
				t.Errorf("%s: %s: %v", c.At, c.Text, err)
			}
		}
	}
	if found < 60 {
		t.Errorf("only %d command lines were found", found)
	}
	for _, cmd := range all(tree()) {
		for _, line := range strings.Split(cmd.Example, "\n") {
			for _, words := range docs.Split(line) {
				if words[0] != "coordinator" {
					continue
				}
				if err := parse(words); err != nil {
					t.Errorf("%s --help: %s: %v", cmd.CommandPath(), line, err)
				}
			}
		}
	}
}

// TestCommandTable compares the table of commands in docs/cli.md with the commands, and demands that the help of each
// shows examples, as it says there.
func TestCommandTable(t *testing.T) {
	row := regexp.MustCompile("^\\| `([^`]+)` \\|")
	said := make(map[string]bool)
	files := documents(t)
	for i := range files {
		f := &files[i]
		if f.Name != "docs/cli.md" {
			continue
		}
		for n, l := range f.Lines {
			if strings.HasPrefix(l.Text, "## ") {
				break // the table is above all sections
			}
			m := row.FindStringSubmatch(l.Text)
			if m == nil {
				continue
			}
			words := strings.Fields(m[1])
			names := []string{words[0]}
			if len(words) > 1 && words[0] != "completion" && words[0] != "k8s" && strings.ToLower(words[1]) == words[1] &&
				!strings.HasPrefix(words[1], "-") {
				names = nil
				for _, q := range strings.Split(words[1], `\|`) {
					names = append(names, words[0]+" "+q)
				}
			}
			for _, name := range names {
				said[name] = true
				if cmd, rest, err := tree().Find(strings.Fields(name)); err != nil || len(rest) > 0 || cmd.Name() == "coordinator" {
					t.Errorf("%s: %s: there is no such command", f.At(n), name)
				}
			}
		}
	}
	for _, cmd := range all(tree()) {
		name := strings.TrimPrefix(cmd.CommandPath(), "coordinator ")
		switch {
		case cmd.Name() == "coordinator" || cmd.Name() == "help" || strings.HasPrefix(name, "completion"):
			continue
		case cmd.Example == "":
			t.Errorf("%s --help shows no example", cmd.CommandPath())
		}
		if !cmd.HasSubCommands() && !said[name] && !strings.HasPrefix(name, "k8s ") {
			t.Errorf("docs/cli.md: %s: the table of commands lacks it", name)
		}
	}
}

// TestDocumentedJSON compares each JSON document in docs/cli.md with the output of its run: each line of a document is
// a line of the output, commas aside.
func TestDocumentedJSON(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	configs := map[string]string{"b99de8fdba8c": "triangle15.yaml", "b42f36706a41": "triangle15-pairs.yaml"}
	found := 0
	files := documents(t)
	for i := range files {
		f := &files[i]
		var printed []string
		for n, l := range f.Lines {
			if !l.Block || l.Lang != "json" {
				continue
			}
			plain := func(s string) string { return strings.TrimSuffix(strings.TrimSpace(s), ",") }
			if m := regexp.MustCompile(`"run": "(\w+)"`).FindStringSubmatch(l.Text); m != nil {
				found++
				if configs[m[1]] == "" {
					t.Fatalf("%s: run %s: this test does not know its config", f.At(n), m[1])
				}
				config, err := filepath.Abs(filepath.Join(root, "configs", configs[m[1]]))
				if err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command(self, "run", config, "--data", filepath.Join(t.TempDir(), "r"), "--output", "json")
				cmd.Args[0] = "coordinator"
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%s: %v", f.At(n), err)
				}
				printed = nil
				for _, line := range strings.Split(string(out), "\n") {
					printed = append(printed, plain(line))
				}
			}
			if text := plain(l.Text); !slices.Contains(append(printed, "{", "}", "]"), text) {
				t.Errorf("%s: the program does not print %s", f.At(n), text)
			}
		}
	}
	if found != len(configs) {
		t.Errorf("%d documents were found, not %d", found, len(configs))
	}
}

// namedFlag is a flag, or the first row of a drawing, behind which there is a slash.
var namedFlag = regexp.MustCompile(`(?:^|[^\w-])--([a-z][a-z0-9-]*/?)`)

// foreign are flags of other programs that sentences of the documents name, with the program.
var foreign = map[string]string{
	"preserve-digests": "skopeo", "reuse-values": "helm", "signal": "nats-server",
}

// TestDocumentedFlags demands that every flag in a document belongs to the command beside it, and that a document names
// every flag of the program.
func TestDocumentedFlags(t *testing.T) {
	root := tree()
	known := make(map[string]bool)
	for _, cmd := range all(root) {
		cmd.InitDefaultHelpFlag()
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
	}
	for _, f := range workerFlags(t) {
		known[f] = true
	}
	said := make(map[string]bool)
	files := documents(t)
	for i := range files {
		f := &files[i]
		for n, l := range f.Lines {
			for _, m := range namedFlag.FindAllStringSubmatch(l.Text, -1) {
				if strings.HasSuffix(m[1], "/") {
					continue
				}
				said[m[1]] = true
				if !known[m[1]] && foreign[m[1]] == "" && !l.Block {
					t.Errorf("%s: --%s: neither program has such a flag", f.At(n), m[1])
				}
			}
		}
		for _, c := range append(f.Commands("coordinator"), f.Inline()...) {
			words := c.Words
			if words[0] == "coordinator" {
				words = words[1:]
			}
			if !c.Form || len(words) == 0 {
				continue
			}
			cmd, rest, err := root.Find(words)
			if err != nil || cmd == root || len(rest) == 0 {
				continue
			}
			for _, m := range namedFlag.FindAllStringSubmatch(strings.Join(rest, " "), -1) {
				if !cmd.HasSubCommands() && cmd.Flags().Lookup(m[1]) == nil && cmd.InheritedFlags().Lookup(m[1]) == nil {
					t.Errorf("%s: `%s`: %s has no flag --%s", c.At, c.Text, cmd.CommandPath(), m[1])
				}
			}
		}
	}
	for _, cmd := range all(root) {
		if cmd.Name() == "help" || cmd.Name() == "completion" || cmd.HasParent() && cmd.Parent().Name() == "completion" {
			continue // the library's
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if letter := f.Shorthand; !said[f.Name] && f.Name != "help" && (letter == "" || !said[letter]) {
				t.Errorf("docs/cli.md: --%s of %s: no document names this flag", f.Name, cmd.CommandPath())
			}
		})
		for _, m := range namedFlag.FindAllStringSubmatch(cmd.Long, -1) {
			if !known[m[1]] {
				t.Errorf("%s --help: --%s: there is no such flag", cmd.CommandPath(), m[1])
			}
		}
	}
}

// workerFlags are the flags of the other program, in its source: a program cannot import another.
func workerFlags(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../worker/app.go")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, m := range regexp.MustCompile(`f\.\w+Var\(&s\.\w+, "([a-z-]+)"`).FindAllSubmatch(text, -1) {
		list = append(list, string(m[1]))
	}
	if len(list) < 5 {
		t.Fatalf("only the flags %v of worker were found", list)
	}
	return list
}

// TestDocumentedForms compares the forms of docs/cli.md, such as `coordinator run CONFIG [--data DIR]`, with the flags
// of their commands: all of them stand there.
func TestDocumentedForms(t *testing.T) {
	root := tree()
	forms := make(map[*cobra.Command]string)
	questions := "" // the form that they share
	at := make(map[*cobra.Command]string)
	files := documents(t)
	for i := range files {
		if files[i].Name != "docs/cli.md" {
			continue
		}
		for _, c := range files[i].Commands("coordinator") {
			if len(c.Words) > 2 && c.Words[2] == "QUESTION" {
				questions = c.Text
			}
			cmd, _, err := root.Find(c.Words[1:])
			if err == nil && cmd != root && (c.Form || forms[cmd] != "") {
				forms[cmd] += c.Text + " "
				at[cmd] = c.At
			}
		}
	}
	if len(forms) < 10 {
		t.Errorf("only %d forms were found", len(forms))
	}
	for cmd, form := range forms {
		if cmd.Parent() != root {
			form += questions
		}
		if strings.Contains(form, "the flags of run") {
			run, _, err := root.Find([]string{"run"})
			if err != nil {
				t.Fatal(err)
			}
			form += forms[run]
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			short := f.Shorthand != "" && strings.Contains(form, "-"+f.Shorthand+" ")
			if f.Name != "help" && !short && !regexp.MustCompile(`--`+f.Name+`\b`).MatchString(form) {
				t.Errorf("%s: the form of %s lacks --%s", at[cmd], cmd.CommandPath(), f.Name)
			}
		})
	}
}

// TestDocumentedKeys demands that every key stands in a document and in configs/template.yaml, and that there is none
// but these.
func TestDocumentedKeys(t *testing.T) {
	var text strings.Builder
	files := documents(t)
	for i := range files {
		for _, l := range files[i].Lines {
			text.WriteString(l.Text + "\n")
		}
	}
	template, err := os.ReadFile(filepath.Join(root, "configs/template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var configs strings.Builder
	paths, err := filepath.Glob(filepath.Join(root, "configs/*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		configs.Write(b)
	}
	keys := config.General("", catalog.All.Names(), config.Machine{}, nil)
	for i := range catalog.All {
		keys = append(keys, catalog.All[i].Settings...)
	}
	for _, k := range keys {
		if !regexp.MustCompile("`" + k.Name + "[`:=]").MatchString(text.String()) {
			t.Errorf("docs/cli.md: key %s: no document names it", k.Name)
		}
		if !regexp.MustCompile(`\b` + k.Name + `\b`).MatchString(configs.String()) {
			t.Errorf("configs/template.yaml: key %s: neither this nor another file of configs/ has it", k.Name)
		}
	}
	for n, line := range strings.Split(string(template), "\n") {
		m := regexp.MustCompile(`^(?:# )?([a-z_]+): ?[^ ]+$`).FindStringSubmatch(line)
		if m != nil && !slices.ContainsFunc(keys, func(k setting.Setting) bool { return k.Name == m[1] }) {
			t.Errorf("configs/template.yaml:%d: %s: there is no such key", n+1, m[1])
		}
	}
	for _, m := range regexp.MustCompile(`PAGODA_([A-Z][A-Z_]*)`).FindAllStringSubmatch(text.String(), -1) {
		if !slices.ContainsFunc(keys, func(k setting.Setting) bool { return k.Name == strings.ToLower(m[1]) }) {
			t.Errorf("docs: PAGODA_%s: there is no such key", m[1])
		}
	}
}

// notRun are beginnings of command lines that are not carried out here, with the reason.
var notRun = map[string]string{
	"coordinator run":               "takes long; test/e2e carries runs out, and TestDocumentedJSON two of them",
	"coordinator plan":              "test/k8s carries out docs/operating.md",
	"coordinator k8s":               "test/k8s carries out docs/operating.md, on a cluster",
	"coordinator export":            "needs a run",
	"coordinator life":              "test/fleet carries out docs/operating.md",
	"coordinator peg fewest":        "needs a run",
	"coordinator peg longest":       "needs a run",
	"coordinator peg survey":        "needs a run",
	"coordinator mousetrap decks":   "needs a run",
	"coordinator baseball farthest": "needs a run",
	"coordinator tiles report":      "needs a run",
}

// TestQuotedOutput runs the commands that the documents show with a dollar sign, and compares their output with the
// text below, if there is any. A line of three dots stands for any lines.
func TestQuotedOutput(t *testing.T) {
	if os.Getenv("PAGODA_NAME") != "" {
		t.Fatal("a key is set in the environment")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir() // files that one command writes and the next one reads
	carried, compared := 0, 0
	files := documents(t)
	for i := range files {
		if files[i].Name == "docs/batches.md" {
			continue // TestBatchesDocument carries it out in its order
		}
		for _, c := range files[i].Commands("coordinator") {
			skip := false
			for begins := range notRun {
				skip = skip || strings.HasPrefix(strings.Join(c.Words, " "), begins)
			}
			if !c.Shown || skip {
				continue
			}
			cmd := exec.Command(self, c.Words[1:]...)
			cmd.Args[0] = "coordinator"
			cmd.Dir = dir
			var errs strings.Builder
			cmd.Stderr = &errs
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("%s: %s: %v: %s", c.At, c.Text, err, errs.String())
				continue
			}
			carried++
			want := strings.TrimSpace(strings.Join(unindented(c.Output), "\n"))
			if strings.HasSuffix(c.Text, "babylone table --output csv --table splits") {
				table, err := os.ReadFile(filepath.Join(root, "docs/babylone-splits.csv"))
				if err != nil || string(table) != string(out) {
					t.Errorf("%s: docs/babylone-splits.csv is not what %s prints (%v)", c.At, c.Text, err)
				}
				compared++
			}
			if want == "" {
				continue
			}
			compared++
			if line, ok := matches(want, string(out)); !ok {
				t.Errorf("%s: %s: the program does not print what is shown: %q", c.At, c.Text, line)
			}
		}
	}
	if carried < 10 || compared < 4 {
		t.Errorf("%d command lines were carried out, %d compared", carried, compared)
	}
}

func unindented(lines []string) []string {
	var out []string
	for _, l := range lines {
		out = append(out, strings.TrimPrefix(l, "    "))
	}
	return out
}

// matches reports whether text is as shown. If not, line is the first missing line, or the text that is left over.
func matches(shown, text string) (line string, ok bool) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	gap := false
	for _, want := range strings.Split(shown, "\n") {
		if strings.TrimSpace(want) == "..." {
			gap = true
			continue
		}
		i := 0
		if gap {
			i = slices.IndexFunc(lines, func(l string) bool { return same(want, l) })
		}
		if i < 0 || i >= len(lines) || !same(want, lines[i]) {
			return want, false
		}
		lines, gap = lines[i+1:], false
	}
	return strings.Join(lines, "\n"), gap || len(lines) == 0
}

func same(want, line string) bool {
	return strings.TrimRight(want, " ") == strings.TrimRight(line, " ")
}
