package reach

import "slices"

// A part is the condition of undoing a jump for one class: the holes of its pattern that flip, and their state before.
type part struct{ flip, want uint32 }

func (p part) allows(pattern uint32) bool { return pattern&p.flip == p.want }

// A change is the effect of undoing a jump on the word class, or, where both, of that jump and the opposite one: of the
// two holes that they flip one has a peg.
type change struct {
	part
	both bool
}

func (c change) allows(pattern uint32) bool {
	set := pattern & c.flip
	return set == c.want || c.both && set == c.want^c.flip
}

// A group is jumps that remove a peg of the same class and ask the same of prefix and mid class: undone on a stretch
// they all lead to one stretch.
type group struct {
	prefix, mid part
	work        int
}

// A work is the effect of the jumps of a group on the rows of a stretch, one step after the other.
type work struct {
	steps []step
	// Where all steps make the same change, works that differ in it alone have the same rows: rows is the first of them,
	// and base is the change. Else rows is the work itself, and base 0.
	rows, base int
}

// A step takes rows to rows: stretch is its condition on the stretch pattern, change its change of the bits.
type step struct {
	stretch part
	change  int
}

// unmoved is the work, and the change, that leaves rows and bits as they are.
const unmoved = 0

// groupJumps makes the groups. Opposite jumps over one hole, whose word patterns are each other's, are one step.
func (s *scheme) groupJumps() {
	s.changes = []change{{}}
	s.works = []work{{steps: []step{{}}}}
	type found struct {
		prefix, mid part
		stretch     []part
		changes     []change
	}
	var groups [4][]found
	for i, j := range s.board.Jumps {
		flip, want := s.patterns(j.Mask()), s.patterns(1<<j.To)
		var parts [roles]part
		for r := range parts {
			parts[r] = part{flip[r], want[r]}
		}
		if flip[word] == 0 {
			s.rowOnly[i/64] |= 1 << (i % 64)
			if flip[stretch] == 0 {
				s.headOnly[i/64] |= 1 << (i % 64)
			}
		}
		k := s.board.Class[j.Over]
		at := slices.IndexFunc(groups[k], func(g found) bool { return g.prefix == parts[prefix] && g.mid == parts[mid] })
		if at < 0 {
			at = len(groups[k])
			groups[k] = append(groups[k], found{prefix: parts[prefix], mid: parts[mid]})
		}
		g := &groups[k][at]
		opposite := false
		for i := range g.changes {
			c := &g.changes[i]
			if g.stretch[i] == parts[stretch] && c.flip == flip[word] && c.want == want[word]^flip[word] && c.flip != 0 {
				c.both, opposite = true, true
			}
		}
		if !opposite {
			g.stretch, g.changes = append(g.stretch, parts[stretch]), append(g.changes, change{part: parts[word]})
		}
	}
	for k, list := range groups {
		for _, g := range list {
			var steps []step
			for i, c := range g.changes {
				steps = append(steps, step{g.stretch[i], s.changeIndex(c)})
			}
			s.groups[k] = append(s.groups[k], group{g.prefix, g.mid, s.workIndex(steps)})
		}
	}
}

func (s *scheme) changeIndex(c change) int {
	if i := slices.Index(s.changes, c); i >= 0 {
		return i
	}
	s.changes = append(s.changes, c)
	return len(s.changes) - 1
}

func (s *scheme) workIndex(steps []step) int {
	if i := slices.IndexFunc(s.works, func(w work) bool { return slices.Equal(w.steps, steps) }); i >= 0 {
		return i
	}
	at := len(s.works)
	w := work{steps: steps, rows: at}
	if change := steps[0].change; !slices.ContainsFunc(steps, func(s step) bool { return s.change != change }) {
		w.base = change
		for i := range s.works {
			x := &s.works[i]
			if x.rows == i && slices.EqualFunc(x.steps, steps, func(a, b step) bool {
				return a.stretch == b.stretch && a.change == x.steps[0].change
			}) {
				w.rows = i
			}
		}
	}
	s.works = append(s.works, w)
	return at
}
