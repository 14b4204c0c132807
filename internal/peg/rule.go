package peg

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Diagonal is the rule of the square lattice on which pegs also jump along diagonals.
const Diagonal = "diagonal"

// oneWay stands before a vector, and between the holes of a triplet, of which one direction alone is jumped.
const oneWay = ">"

const ruleHint = "want diagonal, vectors by rows and columns such as 0,1 1,0 2,1, or triplets such as a1-b1-c1 a1-a2-a3"

var (
	vectorForm  = regexp.MustCompile(`^>?(-?[0-9]{1,2}),(-?[0-9]{1,2})$`)
	tripletForm = regexp.MustCompile(`^` + stopForm + `([->])` + stopForm + `([->])` + stopForm + `$`)
)

// IsTriplets reports whether a text is a list of triplets, right or wrong, and so a board of its own; see [Triplets].
func IsTriplets(s string) bool {
	words := ruleWords(s)
	return len(words) > 0 && tripletForm.MatchString(words[0])
}

// ruleWords are the words of a list of triplets.
func ruleWords(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(c rune) bool { return isBlank(c) || c == ',' || c == ';' })
}

// A vector is a step from the hole where a jump begins to the one that it goes over, and from there to its end.
type vector struct {
	step   Hole
	oneWay bool
}

func (v vector) String() string {
	text := fmt.Sprintf("%d,%d", v.step.Row, v.step.Col)
	if v.oneWay {
		return oneWay + text
	}
	return text
}

// opposite is the other direction of v.
func (v vector) opposite() vector { return vector{Hole{}.minus(v.step), v.oneWay} }

// bothWays are the vectors of steps, both ways.
func bothWays(steps ...Hole) (list []vector) {
	for _, s := range steps {
		list = append(list, vector{step: s})
	}
	return list
}

// setRule gives the board the jumps of a rule, and names the rule by its jumps: boards with equal rules have equal
// jumps, and a rule that leaves the lattice its jumps is none. The error is for newLayout to wrap.
func (b *Layout) setRule(text string) error {
	plain := b.along(bothWays(b.Lattice.directions()...))
	var diagonal []Jump
	if b.Lattice == Square {
		diagonal = b.along(bothWays(Hole{0, 1}, Hole{1, 0}, Hole{1, 1}, Hole{1, -1}))
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return isBlank(c) || c == ';' })
	name := ""
	switch {
	case len(words) == 0:
		b.Jumps = plain
	case len(words) == 1 && words[0] == Diagonal && b.Lattice != Square:
		return fmt.Errorf("diagonal on the %v lattice, which has no diagonals: give vectors", b.Lattice)
	case len(words) == 1 && words[0] == Diagonal:
		b.Jumps = diagonal
	case IsTriplets(text):
		list, err := b.readTriplets(ruleWords(text))
		if err != nil {
			return err
		}
		b.Jumps, name = list, b.tripletText(list)
		if vectors := b.steps(); slices.Equal(b.along(vectors), list) {
			name = b.vectorText(vectors)
		}
	default:
		list, err := readVectors(words)
		if err != nil {
			return err
		}
		b.Jumps, name = b.along(list), b.vectorText(list)
	}
	switch {
	case slices.Equal(b.Jumps, plain):
		b.Rule = ""
	case slices.Equal(b.Jumps, diagonal):
		b.Rule = Diagonal
	default:
		b.Rule = name
	}
	return nil
}

// steps are the vectors of the jumps that go straight on, each one way.
func (b *Layout) steps() (list []vector) {
	for _, j := range b.Jumps {
		step := b.Holes[j.Over].minus(b.Holes[j.From])
		if v := (vector{step, true}); step == b.Holes[j.To].minus(b.Holes[j.Over]) && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// along returns the jumps along vectors, sorted, each once.
func (b *Layout) along(vectors []vector) (list []Jump) {
	for o, h := range b.Holes {
		for _, v := range vectors {
			from, ok := b.number[h.minus(v.step)]
			to, ok2 := b.number[h.plus(v.step)]
			if !ok || !ok2 {
				continue
			}
			list = append(list, Jump{uint16(from), uint16(o), uint16(to)})
			if !v.oneWay {
				list = append(list, Jump{uint16(to), uint16(o), uint16(from)})
			}
		}
	}
	return sorted(list)
}

// sorted sorts jumps by From, Over, To, and keeps each once.
func sorted(list []Jump) []Jump {
	slices.SortFunc(list, func(i, j Jump) int {
		return cmp.Or(cmp.Compare(i.From, j.From), cmp.Compare(i.Over, j.Over), cmp.Compare(i.To, j.To))
	})
	return slices.Compact(list)
}

// readVectors reads vectors as words, or as one array of pairs.
func readVectors(words []string) (list []vector, err error) {
	if strings.HasPrefix(words[0], "[") {
		text := strings.Join(words, " ")
		var pairs [][]int // an array of fixed length would be cut, or filled with 0
		err := json.Unmarshal([]byte(text), &pairs)
		if err != nil || len(pairs) == 0 || slices.ContainsFunc(pairs, func(p []int) bool { return len(p) != 2 }) {
			return nil, fmt.Errorf("%q: %s", shortened(text), ruleHint)
		}
		words = nil
		for _, p := range pairs {
			words = append(words, fmt.Sprintf("%d,%d", p[0], p[1]))
		}
	}
	if slices.Contains(words, Diagonal) {
		return nil, errors.New("diagonal stands alone: with other vectors write 0,1 1,0 1,1 1,-1 in its place")
	}
	for _, w := range words {
		f := vectorForm.FindStringSubmatch(strings.TrimRight(w, ","))
		if f == nil {
			return nil, fmt.Errorf("%q: %s", shortened(w), ruleHint)
		}
		row, _ := strconv.Atoi(f[1]) // at most two digits: cannot fail
		col, _ := strconv.Atoi(f[2])
		if row == 0 && col == 0 {
			return nil, fmt.Errorf("%q: a jump along it ends where it began", w)
		}
		list = append(list, vector{Hole{row, col}, strings.HasPrefix(w, oneWay)})
	}
	return list, nil
}

// vectorText writes the vectors along which the board has jumps, each once, those of both ways with a first number
// above 0.
func (b *Layout) vectorText(vectors []vector) string {
	var list []vector
	for _, v := range vectors {
		if len(b.along([]vector{v})) == 0 {
			continue
		}
		if v.oneWay && slices.Contains(vectors, v.opposite()) {
			v.oneWay = false
		}
		if v.oneWay && (slices.Contains(vectors, vector{step: v.step}) ||
			slices.Contains(vectors, vector{step: v.opposite().step})) {
			continue // both ways are jumped anyway
		}
		if !v.oneWay && v.step.order(Hole{}) < 0 {
			v = v.opposite()
		}
		list = append(list, v)
	}
	slices.SortFunc(list, func(v, w vector) int {
		return cmp.Or(v.step.order(w.step), strings.Compare(v.String(), w.String()))
	})
	return joined(slices.Compact(list))
}

func joined[T fmt.Stringer](list []T) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = v.String()
	}
	return strings.Join(words, " ")
}

// readTriplets reads the jumps of triplets.
func (b *Layout) readTriplets(words []string) (list []Jump, err error) {
	for _, w := range words {
		f := tripletForm.FindStringSubmatch(w)
		if f == nil || f[1] != f[2] {
			return nil, fmt.Errorf("triplet %q: want three holes such as a1-b1-c1, or a1>b1>c1 for one direction alone",
				shortened(w))
		}
		var holes [3]uint16
		for i, name := range strings.Split(w, f[1]) {
			found := b.named(name)
			switch {
			case len(found) > 1 && found[0].err == nil && found[1].err == nil && found[0].hole != found[1].hole:
				return nil, fmt.Errorf("triplet %s: hole %s has two readings: write letter and number, as %s or %s", w, name,
					b.letters(found[0].hole), b.letters(found[1].hole))
			case len(found) == 0 || found[0].err != nil:
				return nil, fmt.Errorf("triplet %s: the board has no hole %s", w, name)
			}
			holes[i] = uint16(found[0].hole)
		}
		j := Jump{holes[0], holes[1], holes[2]}
		if j.From == j.Over || j.Over == j.To || j.From == j.To {
			return nil, fmt.Errorf("triplet %s: it names a hole twice", w)
		}
		list = append(list, j)
		if f[1] != oneWay {
			list = append(list, Jump{j.To, j.Over, j.From})
		}
	}
	list = sorted(list)
	for i, j := range list {
		// Jumps are written by their ends.
		for _, k := range list[:i] {
			if j.From == k.From && j.To == k.To {
				return nil, fmt.Errorf("triplets %s and %s have the same ends, by which jumps are named: leave one out",
					b.tripletText([]Jump{k}), b.tripletText([]Jump{j}))
			}
		}
	}
	return list, nil
}

// tripletText writes jumps as triplets, in the order of their first holes.
func (b *Layout) tripletText(jumps []Jump) string {
	var words []string
	for _, j := range jumps {
		sign := oneWay
		if slices.Contains(jumps, Jump{j.To, j.Over, j.From}) {
			if sign = "-"; j.From > j.To {
				continue
			}
		}
		words = append(words, b.stopName(j.From)+sign+b.stopName(j.Over)+sign+b.stopName(j.To))
	}
	return strings.Join(words, " ")
}

// stopName is the name of a hole in a triplet: letter and number, but for column x, which [ParseGame] has not either.
func (b *Layout) stopName(hole uint16) string {
	if b.Holes[hole].Col == int('x'-'a') {
		return b.HoleName(int(hole))
	}
	return b.letters(int(hole))
}

// Triplets makes a board of the holes that triplets name, such as a1-b1-c1 c1-c2-c3: letter and number, the column and
// the row from 1, or r0c2. A triplet is jumped both ways, and one with > instead of - from its first hole to its last
// alone. The holes are of the square lattice, on which a triplet may be any three. The error wraps ErrBoard.
func Triplets(name, text string) (*Board, error) { return small(TripletLayout(name, text)) }

// TripletLayout is [Triplets] for a board of any size.
func TripletLayout(name, text string) (*Layout, error) {
	fail := func(format string, args ...any) (*Layout, error) {
		return nil, fmt.Errorf("%w %q: %w: %s", ErrBoard, name, ErrRule, fmt.Sprintf(format, args...))
	}
	var holes []Hole
	names := strings.FieldsFunc(strings.Join(ruleWords(text), "-"), func(c rune) bool { return c == '-' || c == '>' })
	for _, w := range names {
		var h Hole
		if f := holeForm.FindStringSubmatch(w); f != nil {
			h.Row, _ = strconv.Atoi(f[1]) // at most four digits: cannot fail
			h.Col, _ = strconv.Atoi(f[2])
		} else if f := letterForm.FindStringSubmatch(w); f != nil {
			h.Row, _ = strconv.Atoi(f[2])
			h = Hole{h.Row - 1, int(f[1][0] - 'a')}
		} else {
			return fail("hole %q: a board of triplets alone names holes by letter and number, such as a1, or r0c0", shortened(w))
		}
		if h.Row >= maxSpan || h.Col >= maxSpan {
			return fail("hole %s: row and column must be below %d", w, maxSpan)
		}
		if !slices.Contains(holes, h) {
			holes = append(holes, h)
		}
	}
	if len(holes) > 0 && !slices.Equal(holes, normalise(holes)) {
		return fail("no hole is in column a, or none in row 1: name holes from there on")
	}
	return newLayout(name, Square, holes, text)
}

// WithRule returns the board with the jumps of a rule:
//
//	diagonal            on the square lattice, the diagonals beside rows and columns
//	0,1 1,0 2,1         along vectors, rows and columns from the hole where a jump begins to the one that it goes over;
//	                    both ways, and with > before a vector that way alone; [[0,1],[1,0],[2,1]] is the same
//	a1-b1-c1 a1-a2-a3   triplets: from, over, to, and back; with > instead of - that way alone
//
// An empty rule is that of the lattice. The error wraps ErrBoard.
func (b *Board) WithRule(rule string) (*Board, error) { return small(b.Layout.WithRule(rule)) }

// WithRule is that of [Board] for a layout.
func (b *Layout) WithRule(rule string) (*Layout, error) {
	return newLayout(b.Name, b.Lattice, b.Holes, rule)
}

// WithRule stands between lattice and rule in [Board.Pattern].
const WithRule = " with rule "

// Pattern names the lattice of the board, with the rule where it has one. With the drawing it makes the board.
func (b *Layout) Pattern() string {
	if b.Rule == "" {
		return b.Lattice.String()
	}
	return b.Lattice.String() + WithRule + b.Rule
}

// Triplets is the number of sets of a hole and two ends between which pegs jump over it, one way or both.
func (b *Layout) Triplets() int {
	n := 0
	for _, j := range b.Jumps {
		if j.From < j.To || !slices.Contains(b.Jumps, Jump{j.To, j.Over, j.From}) {
			n++
		}
	}
	return n
}

// ClassName is the name of a playable class.
func (b *Layout) ClassName(class int) string {
	for i, h := range b.Holes {
		if b.Class[i] != h.parity() {
			return fmt.Sprintf("class %d", class)
		}
	}
	return [4]string{
		"even row, even column", "even row, odd column", "odd row, even column", "odd row, odd column",
	}[class]
}

// parity is the playable class of a hole on a lattice.
func (h Hole) parity() uint8 { return uint8(2*(h.Row&1) + h.Col&1) }

// classify finds playable classes: at most four, of which no jump changes that of the peg that moves, and which the
// symmetries map to each other. Jumps along vectors keep the parities of row and column. Of triplets, holes between
// which a peg moves are of one class. A class is shared so that pegs jump over another class than theirs where that can
// be done at once; this makes counts quick, and is no condition.
func (b *Layout) classify() {
	b.Class = make([]uint8, len(b.Holes))
	for i, h := range b.Holes {
		b.Class[i] = h.parity()
	}
	if !slices.ContainsFunc(b.Jumps, func(j Jump) bool { return b.Class[j.From] != b.Class[j.To] }) {
		return
	}
	part := make([]int, len(b.Holes)) // the least hole that a peg comes from or goes to
	for i := range part {
		part[i] = i
	}
	for _, j := range b.Jumps {
		low, high := min(part[j.From], part[j.To]), max(part[j.From], part[j.To])
		for i, p := range part {
			if p == high {
				part[i] = low
			}
		}
	}
	class := make([]uint8, len(b.Holes)) // of each part
	for p := range class {
		var taken [4]bool // by parts over which pegs of this one jump, or that jump over it
		for _, j := range b.Jumps {
			from, over := part[j.From], part[j.Over]
			if from == p && over < p {
				taken[class[over]] = true
			} else if over == p && from < p {
				taken[class[from]] = true
			}
		}
		if free := slices.Index(taken[:], false); free >= 0 {
			class[p] = uint8(free)
		}
	}
	for i, p := range part {
		b.Class[i] = class[p]
	}
	for _, g := range b.maps() {
		image := [4]int{-1, -1, -1, -1}
		for i, to := range g {
			if c := b.Class[i]; image[c] < 0 {
				image[c] = int(b.Class[to])
			} else if image[c] != int(b.Class[to]) {
				clear(b.Class) // a symmetry takes a class apart: one class for all
				return
			}
		}
	}
}
