package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"pagoda/test/docs"
)

// TestDocumentedCommands parses every command line of the documents and of its own help with the program's flags, and
// compares the form in docs/cli.md with them.
func TestDocumentedCommands(t *testing.T) {
	files, err := docs.Read("../..")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	form := docs.Command{}
	parse := func(at, text string, words []string) {
		lines++
		cmd := new(app).root()
		err := cmd.ParseFlags(words[1:])
		if err == nil {
			err = cmd.ValidateArgs(cmd.Flags().Args())
		}
		if err == nil {
			err = cmd.ValidateRequiredFlags()
		}
		if err != nil {
			t.Errorf("%s: %s: %v", at, text, err)
		}
	}
	for i := range files {
		for _, c := range files[i].Commands("worker") {
			if c.Form && c.File == "docs/cli.md" {
				form = c
			} else if !c.Form {
				parse(c.At, c.Text, c.Words)
			}
		}
	}
	for _, line := range strings.Split(new(app).root().Example, "\n") {
		parse("worker --help", line, docs.Split(line)[0])
	}
	if lines < 6 || form.At == "" {
		t.Fatalf("only %d command lines were found, and the form %q", lines, form.Text)
	}
	cmd := new(app).root()
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !regexp.MustCompile(`--` + f.Name + `\b`).MatchString(form.Text) {
			t.Errorf("%s: the form of worker lacks --%s", form.At, f.Name)
		}
	})
	for _, m := range regexp.MustCompile(`--([a-z][a-z-]*)`).FindAllStringSubmatch(form.Text, -1) {
		if cmd.Flags().Lookup(m[1]) == nil {
			t.Errorf("%s: worker has no flag --%s", form.At, m[1])
		}
	}
}
