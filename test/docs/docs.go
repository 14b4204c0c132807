// Package docs reads README.md, CONTRIBUTING.md, the pages of docs and docs/design, and the document on the alerts, for
// the tests that hold them against the program.
package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A File is a document.
type File struct {
	Name  string // from the root, such as docs/cli.md
	Lines []Line
}

// A Line is one of a document.
type Line struct {
	Text  string
	Block bool   // it is in a block of code
	Lang  string // of a fenced block; "" also for one that is indented
	Fence bool   // it begins or ends a block
}

// At says where line i of a file is, as editors read it.
func (f *File) At(i int) string { return fmt.Sprintf("%s:%d", f.Name, i+1) }

// Read reads all documents of the project whose root is given, by their names.
func Read(root string) ([]File, error) {
	paths, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(paths) < 10 {
		return nil, fmt.Errorf("only %d documents are below %s: %w", len(paths), root, err)
	}
	design, err := filepath.Glob(filepath.Join(root, "docs", "design", "*.md"))
	if err != nil || len(design) == 0 {
		return nil, fmt.Errorf("no documents are below %s/docs/design: %w", root, err)
	}
	paths = append(paths, design...)
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "deploy/observability/README.md"} {
		paths = append(paths, filepath.Join(root, name))
	}
	slices.Sort(paths)
	var all []File
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return nil, err
		}
		all = append(all, File{filepath.ToSlash(name), lines(string(text))})
	}
	return all, nil
}

// lines tells code from text. An indented block begins after an empty line.
func lines(text string) []Line {
	var all []Line
	fenced, lang, blank, indented := false, "", true, false
	for _, t := range strings.Split(text, "\n") {
		l := Line{Text: t}
		trimmed := strings.TrimSpace(t)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			l.Fence, fenced, lang = true, !fenced, strings.TrimPrefix(trimmed, "```")
			indented = false
		case fenced:
			l.Block, l.Lang = true, lang
		case strings.HasPrefix(t, "    ") && (blank || indented):
			l.Block, indented = true, true
		case trimmed != "":
			indented = false
		default:
			l.Block = indented // an empty line does not end a block
		}
		blank = trimmed == ""
		all = append(all, l)
	}
	return all
}

// A Command is a command line of a block of code, or of a piece of code in a sentence.
type Command struct {
	At    string
	Text  string
	Words []string // as a shell would hand them over, the program first
	// Form says that it shows how the command is written rather than a command: it has [, | or ... in it.
	Form bool
	// Output holds the lines below a command that begins with a dollar sign. It is nil where there are none.
	Output []string
	Shown  bool // it begins with a dollar sign
	File   string
}

var prompt = regexp.MustCompile(`^\s*\$ `)

// Commands are the command lines of a program in the blocks of a document.
func (f *File) Commands(program string) []Command {
	var all []Command
	for i := 0; i < len(f.Lines); i++ {
		l := f.Lines[i]
		if !l.Block || l.Lang != "" && l.Lang != "sh" && l.Lang != "console" {
			continue
		}
		shown := prompt.MatchString(l.Text)
		fenced := !strings.HasPrefix(l.Text, "    ")
		if fenced && !shown && (l.Lang != "sh" || slices.ContainsFunc(f.block(i), func(l Line) bool {
			return prompt.MatchString(l.Text)
		})) {
			continue // output, or a picture of letters
		}
		text := strings.TrimSpace(prompt.ReplaceAllString(l.Text, ""))
		at := f.At(i)
		for i+1 < len(f.Lines) && f.Lines[i+1].Block && (strings.HasSuffix(text, `\`) || wraps(text, f.Lines[i+1].Text)) {
			i++
			text = strings.TrimSuffix(text, `\`) + " " + strings.TrimSpace(f.Lines[i].Text)
		}
		for _, words := range Split(text) {
			for len(words) > 0 && strings.Contains(words[0], "=") && !strings.HasPrefix(words[0], "-") {
				words = words[1:] // a variable of the environment
			}
			if len(words) > 3 && words[0] == "go" && words[1] == "run" && words[2] == "./cmd/"+program {
				words = words[2:]
				words[0] = program
			}
			if len(words) == 0 || words[0] != program {
				continue
			}
			c := Command{At: at, Text: text, Words: words, Form: isForm(text), Shown: shown, File: f.Name}
			for j := i + 1; shown && j < len(f.Lines) && f.Lines[j].Block && !prompt.MatchString(f.Lines[j].Text); j++ {
				c.Output = append(c.Output, f.Lines[j].Text)
			}
			all = append(all, c)
		}
	}
	return all
}

// block is the block of code that line i is in.
func (f *File) block(i int) []Line {
	first, end := i, i
	for first > 0 && f.Lines[first-1].Block {
		first--
	}
	for end < len(f.Lines) && f.Lines[end].Block {
		end++
	}
	return f.Lines[first:end]
}

// wraps reports whether a form goes on in the next line: that begins far in, with [ or a flag.
func wraps(text, next string) bool {
	return isForm(text) && regexp.MustCompile(`^ {6,}(\[|--|<)`).MatchString(next)
}

func isForm(text string) bool {
	text, _, _ = strings.Cut(text, " #")
	return strings.Contains(text, "[") && !strings.Contains(text, "'[")
}

// Inline are the pieces of code in the sentences of a document.
func (f *File) Inline() []Command {
	var all []Command
	code := regexp.MustCompile("`([^`]+)`")
	for i, l := range f.Lines {
		if l.Block || l.Fence {
			continue
		}
		for _, m := range code.FindAllStringSubmatch(l.Text, -1) {
			if split := Split(m[1]); len(split) > 0 {
				all = append(all, Command{At: f.At(i), Text: m[1], Words: split[0], Form: true, File: f.Name})
			}
		}
	}
	return all
}

// Split takes a line of a shell apart: commands between |, ;, && and &, each as its words, without redirections and
// without what follows #. Of quotes it knows '...' and "...".
func Split(line string) [][]string {
	var (
		all   [][]string
		words []string
		word  strings.Builder
		has   bool
	)
	end := func() {
		if has {
			words = append(words, word.String())
		}
		word.Reset()
		has = false
	}
	next := func() {
		end()
		if len(words) > 0 {
			all = append(all, words)
		}
		words = nil
	}
	skip := false // the next word is the goal of a redirection
	flush := func() {
		if skip && has {
			word.Reset()
			has, skip = false, false
			return
		}
		end()
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'' || c == '"':
			j := strings.IndexByte(line[i+1:], c)
			if j < 0 {
				j = len(line) - i - 1
			}
			word.WriteString(line[i+1 : i+1+j])
			has = true
			i += j + 1
		case strings.HasPrefix(line[i:], "$("):
			j := strings.IndexByte(line[i:], ')')
			if j < 0 {
				j = len(line) - i - 1
			}
			word.WriteString(line[i : i+j+1])
			has = true
			i += j
		case c == '#' && !has:
			flush()
			next()
			return all
		case c == ' ' || c == '\t':
			flush()
		case c == '>' || c == '<':
			if word.String() == "2" { // of stderr
				word.Reset()
				has = false
			}
			flush()
			skip = true
		case c == '|' && has, c == ';', c == '&':
			if c == '|' && i+1 < len(line) && line[i+1] != ' ' {
				word.WriteByte(c) // one of several, in a form
				continue
			}
			flush()
			next()
		case c == '|':
			flush()
			next()
		default:
			word.WriteByte(c)
			has = true
		}
	}
	flush()
	next()
	return all
}
