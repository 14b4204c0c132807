// Package plural writes numbers with their nouns: 1 peg, 2 pegs, 0 classes.
package plural

import (
	"fmt"
	"strings"
)

// Of is a number and a regular English noun, in the plural unless the number is 1.
func Of[N ~int | ~int64 | ~uint64](n N, noun string) string {
	return Digits(fmt.Sprint(n), noun)
}

// Digits is a number that is written already, and its noun.
func Digits(n, noun string) string {
	if n != "1" {
		noun = Noun(noun)
	}
	return n + " " + noun
}

// Noun is the plural of a regular English noun.
func Noun(noun string) string {
	for _, hiss := range []string{"s", "x", "ch", "sh"} {
		if strings.HasSuffix(noun, hiss) {
			return noun + "es"
		}
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok && stem != "" && !strings.ContainsAny(stem[len(stem)-1:], "aeiou") {
		return stem + "ies"
	}
	return noun + "s"
}
