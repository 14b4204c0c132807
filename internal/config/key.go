package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind says what the text of a value must be.
type Kind int

const (
	// Text is any text, of one or more lines.
	Text Kind = iota
	// Integer is a decimal number without sign, between Key.Min and Key.Max; 4194304 and 4_194_304 are the same.
	Integer
	// Choice is one of Key.Choices.
	Choice
	// Boolean is true or false.
	Boolean
	// Share is a decimal fraction from 0 to 1.
	Share
	// Duration is a time with its unit, such as 30s or 1m30s, between Key.Min and Key.Max nanoseconds.
	Duration
)

// A Key declares one setting. Keys are flat and lower case, with the unit in the name: memory_limit_bytes.
type Key struct {
	Name    string
	Kind    Kind
	Default string
	// DefaultFrom says where the default comes from when it is not the same everywhere, such as "cpus of this machine".
	DefaultFrom string
	// Doc is one sentence for people: what it decides, its unit, what zero or nothing means.
	Doc      string
	Choices  []string // of a Choice
	Min, Max uint64   // of an Integer or a Duration, both included
	// ZeroIsDefault makes 0 of an Integer another way to ask for the default.
	ZeroIsDefault bool
	Validate      func(text string) error // more than the kind demands; nil when there is no more
}

// check says what is wrong with a value, in words that follow "KEY: ".
func (k *Key) check(text string) error {
	switch k.Kind {
	case Integer:
		n, err := parseInteger(text)
		if err != nil || n < k.Min || n > k.Max {
			return fmt.Errorf("%s is not a whole number between %d and %d", quote(text), k.Min, k.Max)
		}
	case Choice:
		if !slices.Contains(k.Choices, text) {
			if text == "" {
				return fmt.Errorf("nothing is chosen; choose %s", list(k.Choices))
			}
			return fmt.Errorf("%s is not one of %s", quote(text), list(k.Choices))
		}
	case Boolean:
		if text != "true" && text != "false" {
			return fmt.Errorf("%s is not true or false", quote(text))
		}
	case Share:
		if _, err := parseShare(text); err != nil {
			return fmt.Errorf("%s is not a fraction from 0 to 1", quote(text))
		}
	case Duration:
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 || uint64(d) < k.Min || uint64(d) > k.Max {
			return fmt.Errorf("%s is not a time between %s and %s", quote(text), time.Duration(k.Min), time.Duration(k.Max))
		}
	}
	if k.Validate != nil {
		return k.Validate(text)
	}
	return nil
}

var errInteger = errors.New("not a whole number")

// parseInteger reads decimal digits, with single underscores between them where the writer wants to group them.
func parseInteger(text string) (uint64, error) {
	if strings.HasPrefix(text, "_") || strings.HasSuffix(text, "_") || strings.Contains(text, "__") ||
		strings.HasPrefix(text, "+") {
		return 0, errInteger
	}
	return strconv.ParseUint(strings.ReplaceAll(text, "_", ""), 10, 64)
}

var errShare = errors.New("not a fraction from 0 to 1")

// parseShare reads digits with a decimal point among them: no exponents, signs or words.
func parseShare(text string) (float64, error) {
	if strings.Trim(text, "0123456789.") != "" {
		return 0, errShare
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v < 0 || v > 1 {
		return 0, errShare
	}
	return v, nil
}

// quote shows a value in a message of one line, shortened where it is long.
func quote(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "..."
	}
	return strconv.Quote(text)
}

// list is "a", "a or b", "a, b or c".
func list(s []string) string {
	if len(s) < 2 {
		return strings.Join(s, "")
	}
	return strings.Join(s[:len(s)-1], ", ") + " or " + s[len(s)-1]
}
