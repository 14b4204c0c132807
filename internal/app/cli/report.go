package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// Colour reports whether text on f may be coloured: f is a terminal that knows colours, and NO_COLOR is empty (see
// no-color.org).
func Colour(f *os.File, environ []string) bool {
	return Terminal(f, environ) && getenv(environ, "NO_COLOR") == ""
}

// Terminal reports whether f is a terminal on which lines can be redrawn.
func Terminal(f *os.File, environ []string) bool {
	return term.IsTerminal(int(f.Fd())) && getenv(environ, "TERM") != "dumb"
}

func getenv(environ []string, name string) (value string) {
	for _, e := range environ {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			value = v
		}
	}
	return value
}

// Report writes an error to w and, when there is any, its advice: one line each. When w takes nothing, only the exit
// code is left to tell it.
func Report(w io.Writer, colour bool, err error) {
	label := "error:"
	if colour {
		label = "\x1b[1;31merror:\x1b[0m"
	}
	_, _ = fmt.Fprintf(w, "%s %s\n", label, line(err.Error()))
	if hint := Advice(err); hint != "" {
		_, _ = fmt.Fprintf(w, "hint: %s\n", line(hint))
	}
}

// Advice returns the advice that an error carries, "" for none.
func Advice(err error) string {
	var advised interface{ Advice() string }
	if errors.As(err, &advised) {
		return advised.Advice()
	}
	return ""
}

// shorten leaves out the middle of a word that would fill the screen, such as a path of some thousand bytes.
func shorten(word string) string {
	const head, tail = 120, 60
	if r := []rune(word); len(r) > head+tail+3 {
		return string(r[:head]) + "..." + string(r[len(r)-tail:])
	}
	return word
}

// line makes text one line, without control characters, without a full stop, and with a small first letter unless the
// word is written in capitals.
func line(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = shorten(w)
	}
	text = strings.Join(words, " ")
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '?'
		}
		return r
	}, text)
	text = strings.TrimSuffix(text, ".")
	first, n := utf8.DecodeRuneInString(text)
	second, _ := utf8.DecodeRuneInString(text[n:])
	if unicode.IsUpper(first) && unicode.IsLower(second) {
		text = string(unicode.ToLower(first)) + text[n:]
	}
	return text
}
