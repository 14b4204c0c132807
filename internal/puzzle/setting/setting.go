// Package setting describes named values that people give: the keys of a config, the flags of a question. A setting
// defines the form of its text and explains itself; it does not know where a value comes from. Package config reads
// values of a run from files, the environment and flags; the commands read flags of a question.
package setting

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind is the form that the text of a value must have.
type Kind int

const (
	// Text is any text, of one or more lines.
	Text Kind = iota
	// Integer is a decimal number without sign, between Setting.Min and Setting.Max; 4194304 and 4_194_304 are the same.
	Integer
	// Choice is one of Setting.Choices.
	Choice
	// Boolean is true or false.
	Boolean
	// Share is a decimal fraction from 0 to 1.
	Share
	// Duration is a time with its unit, such as 30s or 1m30s, between Setting.Min and Setting.Max nanoseconds.
	Duration
)

// A Setting declares one named value. Names are flat and lower case, with the unit in them: memory_limit_bytes.
type Setting struct {
	Name string
	// Letter is a flag's short form, as in -n; empty for none.
	Letter  string
	Kind    Kind
	Default string
	// DefaultFrom says where the default comes from when it is not the same everywhere, such as "cpus of this machine".
	DefaultFrom string
	// Doc is one sentence for people: the effect of the setting, its unit, the meaning of zero or of an empty text.
	Doc      string
	Choices  []string // of a Choice
	Min, Max uint64   // of an Integer or a Duration, both included
	// ZeroIsDefault makes 0 of an Integer another way to ask for the default.
	ZeroIsDefault bool
	Validate      func(text string) error // more than the kind demands; nil when there is no more
}

// Check returns an error when text is not a value of the setting. Its words follow "NAME: ".
func (s *Setting) Check(text string) error {
	switch s.Kind {
	case Integer:
		if _, err := between(text, s.Min, s.Max); err != nil {
			return err
		}
	case Choice:
		if !slices.Contains(s.Choices, text) {
			if text == "" {
				return fmt.Errorf("nothing is chosen; choose %s", List(s.Choices))
			}
			return fmt.Errorf("%s is not one of %s", Quote(text), List(s.Choices))
		}
	case Boolean:
		if text != "true" && text != "false" {
			return fmt.Errorf("%s is not true or false", Quote(text))
		}
	case Share:
		if _, err := ParseShare(text); err != nil {
			return fmt.Errorf("%s is not a fraction from 0 to 1", Quote(text))
		}
	case Duration:
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 || uint64(d) < s.Min || uint64(d) > s.Max {
			return fmt.Errorf("%s is not a time between %s and %s", Quote(text), time.Duration(s.Min), time.Duration(s.Max))
		}
	}
	if s.Validate != nil {
		return s.Validate(text)
	}
	return nil
}

var errInteger = errors.New("not a whole number")

// ParseInteger reads decimal digits, with single underscores between them where the writer wants to group them.
func ParseInteger(text string) (uint64, error) {
	if strings.HasPrefix(text, "_") || strings.HasSuffix(text, "_") || strings.Contains(text, "__") ||
		strings.HasPrefix(text, "+") {
		return 0, errInteger
	}
	return strconv.ParseUint(strings.ReplaceAll(text, "_", ""), 10, 64)
}

// IntegerArgument reads an argument as a whole number from least to most. The error is an *Error with the hint.
func IntegerArgument(name, text string, least, most uint64, hint string) (uint64, error) {
	n, err := between(text, least, most)
	if err != nil {
		return 0, &Error{Setting: name, Err: err, Hint: hint}
	}
	return n, nil
}

func between(text string, least, most uint64) (uint64, error) {
	n, err := ParseInteger(text)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%s is not a whole number between %d and %d", Quote(text), least, most)
	}
	return n, nil
}

var errShare = errors.New("not a fraction from 0 to 1")

// ParseShare reads digits with a decimal point among them: no exponents, signs or words.
func ParseShare(text string) (float64, error) {
	if strings.Trim(text, "0123456789.") != "" {
		return 0, errShare
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v < 0 || v > 1 {
		return 0, errShare
	}
	return v, nil
}

// Quote shows a value in a message of one line, shortened where it is long: to 60 characters, and to fewer where they
// have to be escaped.
func Quote(text string) string {
	const most, mostQuoted = 60, 120
	r := []rune(text)
	quoted := strconv.Quote(string(r[:min(len(r), most)]))
	for n := min(len(r), most); len(quoted) > mostQuoted && n > 0; n-- {
		quoted = strconv.Quote(string(r[:n-1]) + "...")
	}
	if len(r) > most && !strings.HasSuffix(quoted, `..."`) {
		quoted = strconv.Quote(string(r[:most]) + "...")
	}
	return quoted
}

// List is "a", "a or b", "a, b or c".
func List(s []string) string {
	if len(s) < 2 {
		return strings.Join(s, "")
	}
	return strings.Join(s[:len(s)-1], ", ") + " or " + s[len(s)-1]
}
