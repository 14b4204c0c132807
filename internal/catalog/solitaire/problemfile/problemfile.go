// Package problemfile reads problems of peg solitaire from files: PDDL, in which planners take them, and drawings.
//
// The usual way in:
//
//	list, err := problemfile.Read(text)
//	b, err := peg.DrawRule("drawn", peg.Square, list[0].BoardLine(), list[0].Rule())
//
// The package is pure.
package problemfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pagoda/internal/peg"
)

// ErrFile is wrapped by the errors of this package. They name the line at fault where there is one.
var ErrFile = errors.New("bad problem file")

// A Content is a peg or none, in a hole.
type Content byte

// The contents of holes, as drawings have them.
const (
	Peg    Content = 'o'
	Empty  Content = '.'
	Either Content = '?' // a hole of a goal that says nothing of it
)

// A Problem is a board and two positions, of any number of holes.
type Problem struct {
	Name string
	// Holes are where the holes lie on the square lattice, in row-major order.
	Holes []peg.Hole
	// Jumps are from, over and to, by the places in Holes.
	Jumps [][3]int
	// Start and Goal have a content for each hole. No goal is nil.
	Start, Goal []Content
	// Notes say in a sentence each what the file has otherwise.
	Notes []string
}

// Read reads the problems of a PDDL file.
func Read(text string) ([]*Problem, error) {
	forms, err := parse(text)
	if err != nil {
		return nil, err
	}
	var list []*Problem
	domain := false
	for _, f := range forms {
		switch {
		case f.head() == "define" && len(f.list) > 1 && f.list[1].head() == "problem":
			p, err := readProblem(f)
			if err != nil {
				return nil, err
			}
			list = append(list, p)
		case f.head() == "define" && len(f.list) > 1 && f.list[1].head() == "domain":
			domain = true
		default:
			return nil, f.fault("want (define (problem NAME) ...)")
		}
	}
	switch {
	case list != nil:
		return list, nil
	case domain:
		return nil, fmt.Errorf("%w: it defines a domain; give the file of a problem", ErrFile)
	}
	return nil, fmt.Errorf("%w: it is empty", ErrFile)
}

// IsPDDL reports whether a text is a PDDL file, right or wrong, and no drawing: it begins with a bracket.
func IsPDDL(text string) bool {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, ";")
		if line = strings.TrimLeft(line, "\ufeff \t\r\n"); line != "" {
			return line[0] == '('
		}
	}
	return false
}

// Rule is the rule of the problem's board: each jump as a triplet.
func (p *Problem) Rule() string {
	words := make([]string, len(p.Jumps))
	for i, j := range p.Jumps {
		words[i] = p.Holes[j[0]].String() + ">" + p.Holes[j[1]].String() + ">" + p.Holes[j[2]].String()
	}
	return strings.Join(words, " ")
}

// draw draws contents in one line.
func (p *Problem) draw(contents []Content) string {
	var s strings.Builder
	at := peg.Hole{}
	for i, h := range p.Holes {
		if h.Row > at.Row {
			s.WriteString(strings.Repeat("/", h.Row-at.Row))
			at = peg.Hole{Row: h.Row}
		}
		s.WriteString(strings.Repeat("-", h.Col-at.Col))
		s.WriteByte(byte(contents[i]))
		at.Col = h.Col + 1
	}
	return s.String()
}

// BoardLine draws the board full, in one line. In a start a dot in a corner may also be no hole.
func (p *Problem) BoardLine() string { return p.draw(slices.Repeat([]Content{Peg}, len(p.Holes))) }

// StartLine and GoalLine draw the positions in one line; without a goal GoalLine is empty.
func (p *Problem) StartLine() string { return p.draw(p.Start) }

// GoalLine is the goal, as StartLine is the start.
func (p *Problem) GoalLine() string {
	if p.Goal == nil {
		return ""
	}
	return p.draw(p.Goal)
}

// order sorts the holes of a problem in row-major order, with the rest of it.
func (p *Problem) order() {
	places := make([]int, len(p.Holes)) // by new place: the old one
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(i, j int) int {
		a, b := p.Holes[i], p.Holes[j]
		if a.Row != b.Row {
			return a.Row - b.Row
		}
		return a.Col - b.Col
	})
	now := make([]int, len(places))
	for i, old := range places {
		now[old] = i
	}
	p.Holes, p.Start, p.Goal = picked(p.Holes, places), picked(p.Start, places), picked(p.Goal, places)
	for i, j := range p.Jumps {
		p.Jumps[i] = [3]int{now[j[0]], now[j[1]], now[j[2]]}
	}
}

// picked returns the elements at places; of none it is nil.
func picked[T any](list []T, places []int) []T {
	if list == nil {
		return nil
	}
	out := make([]T, len(places))
	for i, k := range places {
		out[i] = list[k]
	}
	return out
}
