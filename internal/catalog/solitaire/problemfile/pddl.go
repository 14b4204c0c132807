package problemfile

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"pagoda/internal/peg"
)

// rowLength is how many holes stand in a row where the file does not say where they lie.
const rowLength = 8

// placeForm is the name of an object that has a row and a column, such as pos-3-2.
var placeForm = regexp.MustCompile(`^[^0-9]*([0-9]{1,3})[^0-9]+([0-9]{1,3})$`)

// A reader reads one problem.
type reader struct {
	*Problem
	number map[string]int // of the holes, by the names of their objects
	names  []string
}

// readProblem reads (define (problem NAME) ...).
func readProblem(f form) (*Problem, error) {
	r := &reader{Problem: &Problem{}, number: map[string]int{}}
	if words, ok := f.list[1].words(); ok && len(words) == 1 {
		r.Name = words[0]
	}
	parts := map[string]form{}
	for _, part := range f.list[2:] {
		if _, twice := parts[part.head()]; twice {
			return nil, part.fault("the problem has it twice")
		}
		parts[part.head()] = part
	}
	for _, part := range []struct {
		name string
		read func(form) error
	}{
		{":objects", r.objects}, {":init", r.facts}, {":goal", r.goal},
	} {
		have, ok := parts[part.name]
		if !ok {
			return nil, fmt.Errorf("%w: line %d: problem %s has no (%s ...)", ErrFile, f.line, r.Name, part.name)
		}
		if err := part.read(have); err != nil {
			return nil, err
		}
	}
	r.place()
	r.order()
	return r.Problem, nil
}

// objects reads the objects that are locations: all of them in a file without types.
func (r *reader) objects(f form) error {
	words, ok := f.words()
	if !ok {
		return f.fault("want names")
	}
	var group []string
	end := func(kind string) error {
		if kind == "location" {
			for _, name := range group {
				if _, twice := r.number[name]; twice {
					return f.fault("object %s is there twice", name)
				}
				r.number[name] = len(r.names)
				r.names = append(r.names, name)
			}
		}
		group = nil
		return nil
	}
	for i := 0; i < len(words); i++ {
		if words[i] != "-" {
			group = append(group, words[i])
			continue
		}
		if i++; i == len(words) {
			return f.fault("no type stands behind the last -")
		}
		kind := words[i]
		if kind == "object" {
			kind = "location"
		}
		if err := end(kind); err != nil {
			return err
		}
	}
	if err := end("location"); err != nil {
		return err
	}
	if r.names == nil {
		return f.fault("no object is a location")
	}
	return nil
}

// holes reads the holes of a fact.
func (r *reader) holes(f form, want int) ([]int, error) {
	words, ok := f.words()
	if !ok || len(words) != want {
		return nil, f.fault("want %d names of locations", want)
	}
	list := make([]int, want)
	for i, name := range words {
		if list[i], ok = r.number[name]; !ok {
			return nil, f.fault("there is no location %.60q among the objects", name)
		}
	}
	return list, nil
}

// facts reads the jumps and the start. Whether a move is under way says nothing of where it may end.
func (r *reader) facts(f form) error {
	r.Start = make([]Content, len(r.names))
	for _, fact := range f.list[1:] {
		switch fact.head() {
		case "in-line":
			h, err := r.holes(fact, 3)
			if err != nil {
				return err
			}
			if h[0] == h[1] || h[1] == h[2] || h[0] == h[2] {
				return fact.fault("it names a location twice")
			}
			r.Jumps = append(r.Jumps, [3]int(h))
		case "occupied":
			if err := r.set(r.Start, fact, Peg); err != nil {
				return err
			}
		case "free":
			if err := r.set(r.Start, fact, Empty); err != nil {
				return err
			}
		case "move-ended", "last-visited", "=", "at-time", "consecutive":
		default:
			return fact.fault("want in-line, occupied or free")
		}
	}
	if r.Jumps == nil {
		return fmt.Errorf("%w: line %d: no fact (in-line FROM OVER TO): it is no problem of peg solitaire", ErrFile, f.line)
	}
	if i := slices.Index(r.Start, 0); i >= 0 {
		return fmt.Errorf("%w: line %d: location %s is neither occupied nor free", ErrFile, f.line, r.names[i])
	}
	return nil
}

// set notes the content of a hole.
func (r *reader) set(contents []Content, f form, c Content) error {
	h, err := r.holes(f, 1)
	if err != nil {
		return err
	}
	if have := contents[h[0]]; have != 0 && have != c {
		return f.fault("the location is both occupied and free")
	}
	contents[h[0]] = c
	return nil
}

// goal reads a goal, of which all conditions are to hold.
func (r *reader) goal(f form) error {
	if len(f.list) != 2 {
		return f.fault("want one condition")
	}
	r.Goal = make([]Content, len(r.names))
	if err := r.condition(f.list[1], false); err != nil {
		return err
	}
	for i, c := range r.Goal {
		if c == 0 {
			r.Goal[i] = Either
		}
	}
	return nil
}

// condition reads a condition, or its opposite.
func (r *reader) condition(f form, not bool) error {
	content := map[bool]Content{false: Peg, true: Empty}
	switch f.head() {
	case "and":
		if not {
			return f.fault("a goal must say of each location whether it is occupied or free")
		}
		for _, g := range f.list[1:] {
			if err := r.condition(g, false); err != nil {
				return err
			}
		}
		return nil
	case "not":
		if len(f.list) != 2 {
			return f.fault("want one condition")
		}
		return r.condition(f.list[1], !not)
	case "occupied":
		return r.set(r.Goal, f, content[not])
	case "free":
		return r.set(r.Goal, f, content[!not])
	case "move-ended":
		if not {
			return f.fault("every move can end")
		}
		return nil
	}
	return f.fault("a goal must say of locations, joined by and, whether they are occupied or free")
}

// place puts the holes where their names say, by row and column; where names do not say, in rows in their order.
func (r *reader) place() {
	taken := map[peg.Hole]bool{}
	var low peg.Hole
	for i, name := range r.names {
		f := placeForm.FindStringSubmatch(name)
		if f == nil {
			break
		}
		row, _ := strconv.Atoi(f[1]) // at most three digits: cannot fail
		col, _ := strconv.Atoi(f[2])
		h := peg.Hole{Row: row, Col: col}
		if taken[h] {
			break
		}
		taken[h] = true
		if i == 0 {
			low = h
		}
		low = peg.Hole{Row: min(low.Row, row), Col: min(low.Col, col)}
		r.Holes = append(r.Holes, h)
	}
	if len(r.Holes) < len(r.names) {
		r.Holes = nil
		for i := range r.names {
			r.Holes = append(r.Holes, peg.Hole{Row: i / rowLength, Col: i % rowLength})
		}
		r.Notes = append(r.Notes, fmt.Sprintf("the names of the locations do not say where they lie: here they stand in "+
			"rows of %d in the order of the objects, which changes no jump", rowLength))
		return
	}
	for i, h := range r.Holes {
		r.Holes[i] = peg.Hole{Row: h.Row - low.Row, Col: h.Col - low.Col}
	}
	if low != (peg.Hole{}) {
		r.Notes = append(r.Notes, fmt.Sprintf("rows count from %d and columns from %d in the file, and both from 0 here",
			low.Row, low.Col))
	}
}
