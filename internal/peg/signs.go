package peg

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The signs of drawings, as people write them. A sign of several lists has several meanings: see [readings].
const (
	pegSigns   = "oO*Xx#@1●•"
	emptySigns = "._0○·◦"
	ringSigns  = "oO"      // a peg, but beside another sign for a peg perhaps an empty hole
	fullSigns  = "*●•"     // a peg that turns a ring beside it into an empty hole; X x # @ 1 leave that open
	wallSigns  = "Xx#._0·" // a hole; no hole for some authors
	noHole     = '-'       // no hole; an empty hole for some authors
	eitherSign = '?'       // a hole with or without a peg, on a known board
	separators = "\t,;|"   // end the cells of a table
	negative   = "-1"      // stands for no hole in a cell of a table
)

const holesHint = "(o . and also O X x # * @ 1 _ 0)"

// A mark is a sign as it was drawn, and the hole that it stands for.
type mark struct {
	hole      Hole
	sign      rune
	line, col int // in the text, from 1
}

// IsDrawing reports whether a text is a drawing, right or wrong, and no name: it has several rows or brackets, or signs
// of drawings and nothing else.
func IsDrawing(s string) bool {
	s = strings.TrimFunc(s, isBlank)
	return s != "" && (strings.ContainsAny(s, "/\r\n[{") || !strings.ContainsFunc(s, func(c rune) bool {
		return !isSign(c) && c != eitherSign && !strings.ContainsRune(separators, c) && !isBlank(c)
	}))
}

func isSign(c rune) bool { return c == noHole || strings.ContainsRune(pegSigns+emptySigns, c) }

// isBlank is also true of the byte order mark, with which some editors begin a file.
func isBlank(c rune) bool { return unicode.IsSpace(c) || c == '\ufeff' }

var (
	rowBreaks = strings.NewReplacer("/\r\n", "\n", "/\n", "\n", "\r\n", "\n", "\r", "\n", "/", "\n")
	arrayRows = regexp.MustCompile(`[\]}],?\s*[\[{]`)
	brackets  = strings.NewReplacer("[", " ", "]", " ", "{", " ", "}", " ")
	cellEnds  = strings.NewReplacer(",", "\t", ";", "\t", "|", "\t")
)

// readSigns returns all signs of a drawing, in lines from the top, with - among them. The hole of each is its place in
// the text, or in a table the line and the cell. With either ? is a sign, too.
func readSigns(text string, either bool) ([]mark, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.ContainsAny(text, "[{") {
		text = brackets.Replace(arrayRows.ReplaceAllString(text, "\n"))
	}
	lines := strings.Split(rowBreaks.Replace(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimRightFunc(lines[i], isBlank)
	}
	indent := unindent(lines)
	table := slices.ContainsFunc(lines, func(s string) bool { return strings.ContainsAny(s, separators) })
	if words := strings.Fields(text); !table && slices.Contains(words, negative) &&
		!slices.ContainsFunc(words, func(s string) bool { return s != negative && utf8.RuneCountInString(s) > 1 }) {
		table = true // of numbers with blanks between them
		for i := range lines {
			lines[i] = strings.Join(strings.Fields(lines[i]), "\t")
		}
	}
	var signs []mark
	for y, line := range lines {
		if words := strings.Fields(line); !table && len(words) > 1 && slices.Contains(words, negative) {
			return nil, fmt.Errorf("line %d has two readings: -1 as one number, or as no hole and a peg", y+1)
		}
		cells, gap := strings.Split(line, ""), 0
		if table {
			cells, gap = strings.Split(cellEnds.Replace(line), "\t"), 1
		}
		at := indent + 1
		for x, cell := range cells {
			sign := strings.TrimFunc(cell, isBlank)
			c, width := utf8.DecodeRuneInString(sign)
			switch {
			case sign == "":
			case table && sign == negative:
				signs = append(signs, mark{Hole{y, x}, noHole, y + 1, at})
			case width < len(sign):
				return nil, fmt.Errorf("line %d, column %d: %q in one cell of a table: want one sign", y+1, at, shortened(sign))
			case !isSign(c) && (c != eitherSign || !either):
				return nil, fmt.Errorf("line %d, column %d: %q is neither a hole %s nor blank (space -)", y+1, at, c, holesHint)
			default:
				signs = append(signs, mark{Hole{y, x}, c, y + 1, at})
			}
			at += utf8.RuneCountInString(cell) + gap
		}
	}
	return signs, nil
}

// unindent takes away the tabs with which all lines begin that are not empty, and returns how many.
func unindent(lines []string) (tabs int) {
	for strings.Join(lines, "") != "" {
		for _, s := range lines {
			if s != "" && s[0] != '\t' {
				return tabs
			}
		}
		for i := range lines {
			lines[i] = strings.TrimPrefix(lines[i], "\t")
		}
		tabs++
	}
	return tabs
}

var errSigns = errors.New("want one sign for a peg and one for an empty hole")

// pegSign returns the sign of pegs among those of the holes, at most two: 0 where there is none. doubt says how the
// signs can be read the other way round, and is empty where they cannot.
func pegSign(signs []rune) (peg rune, doubt string, err error) {
	var pegs, empties []rune
	for _, c := range signs {
		if strings.ContainsRune(pegSigns, c) {
			pegs = append(pegs, c)
		} else {
			empties = append(empties, c)
		}
	}
	if len(signs) == 3 && strings.Trim(string(signs), "o*.") == "" {
		return 'o', "two readings: o a peg, or * a peg; write o for a peg and . for an empty hole", nil
	}
	other := rune(0) // for which the sign of pegs may be an empty hole
	switch {
	case len(signs) > 2, len(empties) == 2, len(pegs) == 2 && !strings.ContainsAny(string(pegs), ringSigns):
		return 0, "", fmt.Errorf("%w: it has %s", errSigns, strings.Join(strings.Split(string(signs), ""), " "))
	case len(pegs) == 2:
		if strings.ContainsRune(ringSigns, pegs[0]) {
			pegs[0], pegs[1] = pegs[1], pegs[0]
		}
		if other = pegs[1]; strings.ContainsRune(fullSigns, pegs[0]) {
			return pegs[0], "", nil
		}
	case len(pegs) == 1 && len(empties) == 1 && empties[0] == '0' && strings.ContainsRune(ringSigns, pegs[0]):
		other = '0'
	}
	if len(pegs) == 0 {
		return 0, "", nil
	}
	if other != 0 {
		doubt = fmt.Sprintf("two readings: %[1]c a peg and %[2]c an empty hole, or %[2]c a peg and %[1]c an empty hole; "+
			"write o for a peg and . for an empty hole", pegs[0], other)
	}
	return pegs[0], doubt, nil
}
