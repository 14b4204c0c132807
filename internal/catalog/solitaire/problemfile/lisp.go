package problemfile

import (
	"fmt"
	"strings"
)

// deepest bounds the brackets in brackets of a file.
const deepest = 100

// A form is a word, or a list of forms in brackets.
type form struct {
	word string // in lower case; empty for a list
	list []form
	line int // from 1
}

// head is the first word of a list, "" for none.
func (f form) head() string {
	if len(f.list) == 0 {
		return ""
	}
	return f.list[0].word
}

// words are the words of a list behind its head; ok is false where there are lists among them.
func (f form) words() (words []string, ok bool) {
	if len(f.list) == 0 {
		return nil, false
	}
	for _, g := range f.list[1:] {
		if g.word == "" {
			return nil, false
		}
		words = append(words, g.word)
	}
	return words, true
}

// text is the form as it stands in a file, shortened.
func (f form) text() string {
	const most = 60
	if f.list == nil && f.word != "" {
		return f.word
	}
	parts := make([]string, 0, len(f.list))
	for _, g := range f.list {
		parts = append(parts, g.text())
	}
	text := "(" + strings.Join(parts, " ") + ")"
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "..."
	}
	return text
}

// fault is an error about a form.
func (f form) fault(format string, args ...any) error {
	return fmt.Errorf("%w: line %d: %s: %s", ErrFile, f.line, f.text(), fmt.Sprintf(format, args...))
}

// brackets makes words of brackets.
var brackets = strings.NewReplacer("(", " ( ", ")", " ) ")

// parse reads the forms of a text. A semicolon begins a remark, to the end of the line.
func parse(text string) ([]form, error) {
	open := []form{{}} // the lists that are not closed, in each other
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		line, _, _ = strings.Cut(line, ";")
		line = brackets.Replace(strings.ToLower(line))
		for _, word := range strings.Fields(line) {
			top := &open[len(open)-1]
			switch {
			case word == "(" && len(open) > deepest:
				return nil, fmt.Errorf("%w: line %d: more than %d brackets in each other", ErrFile, number, deepest)
			case word == "(":
				open = append(open, form{line: number})
			case word == ")" && len(open) == 1:
				return nil, fmt.Errorf("%w: line %d: a bracket is closed that none opens", ErrFile, number)
			case word == ")":
				done := *top
				open = open[:len(open)-1]
				top = &open[len(open)-1]
				top.list = append(top.list, done)
			case len(open) == 1:
				return nil, fmt.Errorf("%w: line %d: %.60q stands outside of all brackets", ErrFile, number, word)
			default:
				top.list = append(top.list, form{word: word, line: number})
			}
		}
	}
	if len(open) > 1 {
		return nil, fmt.Errorf("%w: line %d: this bracket is not closed", ErrFile, open[len(open)-1].line)
	}
	return open[0].list, nil
}
