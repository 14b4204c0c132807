package peg

import (
	"cmp"
	"fmt"
	"iter"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Goals is a set of positions in which a game may end, as people state one: those that fit a pattern and have Least to
// Most pegs.
type Goals struct {
	Board       *Board
	Patterns    []Pattern
	Least, Most int // pegs
	// Dead leaves the positions on which no jump is legal.
	Dead bool
	// Extreme chooses among these for one start: the goals that games from it end in with the most or the fewest pegs.
	Extreme Extreme
	text    string
}

// A Pattern is the positions that have Pegs, and no others, on the holes of Fixed.
type Pattern struct{ Fixed, Pegs Position }

// An Extreme is a number of pegs that depends on the start.
type Extreme int

// The extremes. Every jump takes a peg, so the most pegs are left by the shortest way to a dead end.
const (
	NoExtreme Extreme = iota
	FewestPegs
	MostPegs
)

var (
	anyForm    = regexp.MustCompile(`^any$|^(any|any-single|single|one)-peg$`)
	atMostForm = regexp.MustCompile(`^(?:at-most-|<=-?|≤-?)([0-9]{1,2})(?:-pegs?)?$`)
	deadForm   = regexp.MustCompile(`^dead(?:-ends?)?(?:-(?:with-)?at-least-([0-9]{1,2})(?:-pegs?)?)?$`)
	imagesForm = regexp.MustCompile(`(?is)^images\s*(?:of\s*)?\((.*)\)$`)
)

// ParseGoals reads a set of goals on b:
//
//	any                  any single peg; any peg, one peg and single peg are the same
//	at-most-3            at most three pegs; <=3 is the same
//	..?/?o?/...          a drawing in which ? may be a peg or an empty hole
//	images(GOAL)         the images of a drawing or a hole under the symmetries of the board
//	dead                 a position without a jump; dead-at-least-20 has 20 pegs or more
//	fewest-pegs          the fewest pegs that a game from the start can leave
//	most-pegs            a dead end after the fewest jumps: it leaves the most pegs; shortest-dead-end is the same
//
// or one position, as [ParseGoal] does. Between words stand blanks, - or _. The error wraps ErrPosition.
func ParseGoals(b *Board, s string) (Goals, error) {
	word := strings.TrimFunc(s, isBlank)
	g := Goals{Board: b, Patterns: []Pattern{{}}, Least: 1, Most: b.Size()}
	name := strings.Join(strings.FieldsFunc(strings.ToLower(word), func(c rune) bool {
		return isBlank(c) || c == '-' || c == '_'
	}), "-")
	pegs := func(digits string) (n int, err error) {
		n, _ = strconv.Atoi(digits) // at most two digits: cannot fail
		if n < 1 || n > b.Size() {
			err = positionError(b, word, "want a number of pegs from 1 to %d", b.Size())
		}
		return n, err
	}
	var err error
	if f := imagesForm.FindStringSubmatch(word); f != nil {
		p, err := parsePattern(b, f[1])
		if err != nil {
			return g, err
		}
		g.text, g.Patterns = "images("+p.Format(b)+")", p.images(b)
		return g, g.some(word)
	}
	if f := atMostForm.FindStringSubmatch(name); f != nil {
		g.Most, err = pegs(f[1])
		g.text = fmt.Sprintf("at-most-%d", g.Most)
		return g, err
	}
	if f := deadForm.FindStringSubmatch(name); f != nil {
		g.Dead, g.text = true, "dead"
		if f[1] != "" {
			g.Least, err = pegs(f[1])
			g.text = fmt.Sprintf("dead-at-least-%d", g.Least)
		}
		return g, err
	}
	switch {
	case anyForm.MatchString(name):
		g.Most, g.text = 1, "any"
	case name == "fewest-pegs":
		g.Extreme, g.text = FewestPegs, name
	case name == "most-pegs", name == "shortest-dead-end":
		g.Extreme, g.Dead, g.text = MostPegs, true, "most-pegs"
	default:
		p, err := parsePattern(b, s)
		if err != nil {
			return g, err
		}
		g.Patterns, g.text = []Pattern{p}, p.Format(b)
	}
	return g, g.some(word)
}

// some refuses a set of the empty position alone.
func (g Goals) some(word string) error {
	if _, ok := g.Only(); !ok && !slices.ContainsFunc(g.Patterns, func(p Pattern) bool { return p.most(g.Board) > 0 }) {
		return positionError(g.Board, word, "it has no peg, but every jump leaves one")
	}
	return nil
}

// parsePattern reads one position, or a drawing with ?.
func parsePattern(b *Board, s string) (Pattern, error) {
	p, either, err := b.PatternSets(s)
	return Pattern{b.Full() &^ Position(either[0]), Position(p[0])}, err
}

// PatternSets reads one position, or a drawing with ?: the holes with a peg, and those with one or not. The error wraps
// ErrPosition.
func (b *Layout) PatternSets(s string) (pegs, free Set, err error) {
	if strings.Contains(s, string(eitherSign)) {
		return b.readPattern(s)
	}
	pegs, err = b.GoalSet(s)
	return pegs, free, err
}

// GoalsOf is the set of one position.
func GoalsOf(b *Board, p Position) Goals {
	one := Pattern{b.Full(), p}
	return Goals{Board: b, Patterns: []Pattern{one}, Least: 1, Most: b.Size(), text: one.Format(b)}
}

// AtMost is the set of the positions of at most n pegs.
func AtMost(b *Board, n int) Goals {
	return Goals{Board: b, Patterns: []Pattern{{}}, Least: 1, Most: n, text: fmt.Sprintf("at-most-%d", n)}
}

// DeadEnds is the set of the positions without a jump that have at least so many pegs.
func DeadEnds(b *Board, least int) Goals {
	return Goals{Board: b, Patterns: []Pattern{{}}, Least: least, Most: b.Size(), Dead: true,
		text: fmt.Sprintf("dead-at-least-%d", least)}
}

// Has reports whether p is a goal. The extremes are not looked at.
func (g Goals) Has(p Position) bool {
	n := p.Pegs()
	return n >= g.Least && n <= g.Most && slices.ContainsFunc(g.Patterns, func(q Pattern) bool { return q.has(p) }) &&
		(!g.Dead || g.Board.Dead(p))
}

// Dead reports whether no jump is legal on p.
func (b *Board) Dead(p Position) bool {
	return !slices.ContainsFunc(b.Jumps, func(j Jump) bool { return j.Legal(p) })
}

// Only returns the position when the set has only one, which was stated as such.
func (g Goals) Only() (p Position, ok bool) {
	if len(g.Patterns) == 1 && g.Patterns[0].Fixed == g.Board.Full() && !g.Dead && g.Extreme == NoExtreme {
		return g.Patterns[0].Pegs, true
	}
	return 0, false
}

// String writes the set as [ParseGoals] reads it: a word, or a drawing in one line.
func (g Goals) String() string { return g.text }

// Images are the images of the set under a symmetry of the board, with the patterns in a fixed order. Its text is not
// changed.
func (g Goals) Images(s Perm) Goals {
	g.Patterns = slices.Clone(g.Patterns)
	for i, p := range g.Patterns {
		g.Patterns[i] = p.image(s)
	}
	slices.SortFunc(g.Patterns, Pattern.order)
	return g
}

// Number is how many positions the set has, dead or not. The positions of several patterns are counted by inclusion and
// exclusion. The arithmetic is modulo 2^64, and the number is less.
func (g Goals) Number() (n uint64) {
	var join func(list []Pattern, both Pattern, sign uint64)
	join = func(list []Pattern, both Pattern, sign uint64) {
		for i, p := range list {
			if shared := p.Fixed & both.Fixed; (p.Pegs^both.Pegs)&shared != 0 {
				continue
			}
			all := Pattern{p.Fixed | both.Fixed, p.Pegs | both.Pegs}
			n += sign * all.number(g)
			join(list[i+1:], all, -sign)
		}
	}
	join(g.Patterns, Pattern{}, 1)
	return n
}

// number is how many positions of g fit p.
func (p Pattern) number(g Goals) (n uint64) {
	free, fixed := g.Board.Size()-p.Fixed.Pegs(), p.Pegs.Pegs()
	binomial := uint64(1)
	for k := 0; k <= free; k++ {
		if fixed+k >= g.Least && fixed+k <= g.Most {
			n += binomial
		}
		high, low := bits.Mul64(binomial, uint64(free-k))
		binomial, _ = bits.Div64(high, low, uint64(k+1))
	}
	return n
}

// All yields the positions of the set, dead or not, each once, those of few pegs first.
func (g Goals) All() iter.Seq[Position] {
	return func(yield func(Position) bool) {
		for n := max(g.Least, 1); n <= g.Most; n++ {
			for i, p := range g.Patterns {
				seen := func(q Position) bool {
					return slices.ContainsFunc(g.Patterns[:i], func(o Pattern) bool { return o.has(q) })
				}
				if !p.each(g.Board, n, func(q Position) bool { return seen(q) || yield(q) }) {
					return
				}
			}
		}
	}
}

// Below yields the goals with fewer pegs than a start, in the order of All.
func (g Goals) Below(start Position) iter.Seq[Position] {
	g.Most = min(g.Most, start.Pegs()-1)
	return g.All()
}

// ByPegs reports whether the number of pegs decides, or that and whether there is a jump.
func (g Goals) ByPegs() bool { return len(g.Patterns) == 1 && g.Patterns[0].Fixed == 0 }

// each calls yield for each position of n pegs that fits p, until it returns false.
func (p Pattern) each(b *Board, n int, yield func(Position) bool) bool {
	free := b.Full() &^ p.Fixed
	k, size := n-p.Pegs.Pegs(), free.Pegs()
	if k < 0 || k > size {
		return true
	}
	// choose puts k pegs into the holes of rest.
	var choose func(rest, q Position, k int) bool
	choose = func(rest, q Position, k int) bool {
		if k == 0 {
			return yield(q)
		}
		for ; rest.Pegs() >= k; rest &= rest - 1 {
			if !choose(rest&(rest-1), q|rest&-rest, k-1) {
				return false
			}
		}
		return true
	}
	return choose(free, p.Pegs, k)
}

func (p Pattern) has(q Position) bool { return q&p.Fixed == p.Pegs }

// Fewest is the fewest pegs of a goal, dead or not.
func (g Goals) Fewest() int {
	fewest := g.Board.Size()
	for _, p := range g.Patterns {
		fewest = min(fewest, p.Pegs.Pegs())
	}
	return max(fewest, g.Least)
}

// most is the most pegs of a position that fits p.
func (p Pattern) most(b *Board) int { return (b.Full()&^p.Fixed | p.Pegs).Pegs() }

// images are the different images of p, in a fixed order.
func (p Pattern) images(b *Board) (list []Pattern) {
	for _, s := range b.Symmetries() {
		if q := p.image(s); !slices.Contains(list, q) {
			list = append(list, q)
		}
	}
	slices.SortFunc(list, Pattern.order)
	return list
}

func (p Pattern) image(s Perm) Pattern { return Pattern{s.Apply(p.Fixed), s.Apply(p.Pegs)} }

// order sorts patterns by their fixed holes, and then by their pegs.
func (p Pattern) order(q Pattern) int {
	return cmp.Or(cmp.Compare(p.Fixed, q.Fixed), cmp.Compare(p.Pegs, q.Pegs))
}

// Format draws p in one line, with ? for the holes that may have a peg or not.
func (p Pattern) Format(b *Board) string {
	return b.PatternLine(p.Pegs.Set(), (b.Full() &^ p.Fixed).Set())
}
