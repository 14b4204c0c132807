package baseball

import (
	"errors"
	"fmt"
)

// A Method is a way to play that needs no search.
type Method int

// The methods of the source. Both are for the line, and so can be played on the ring as well. The first leaves choices
// open; it is played in its best and in its worst way.
const (
	OneBaseBest  Method = iota // "une base a la fois" with the fewest moves
	OneBaseWorst               // the same with the most moves
	BestPush                   // "on avance au mieux"
	methods
)

// MethodNames are the names of the methods, in their order.
var MethodNames = []string{"one_base_at_a_time_best", "one_base_at_a_time_worst", "best_push"}

func (m Method) String() string { return MethodNames[m] }

// oneBase appends the moves that the method "une base a la fois" allows in c, none when c is solved.
//
// Let D be the rightmost base that is not complete, and J the rightmost base but D with a token of D's colour; J < D,
// because the bases right of D are complete. That token is to go right, base by base, until it is in D. It can move
// when the free place is in the base right of J; otherwise the free place goes there, base by base. Where it enters a
// base, either of the two tokens may move, but one of D's colour only if both are. All that follows from c, so the
// method needs no memory: that the free place goes around the token, when the token has moved, is the same rule.
func (c *Configuration) oneBase(to []Move) []Move {
	d := c.incomplete()
	if d < 0 {
		return to
	}
	own := uint8(d)
	j := d - 1
	for c.tokens[j][0] != own && c.tokens[j][1] != own {
		j--
	}
	p := int(c.hole)
	if p == j+1 {
		return append(to, Move{d, j, p})
	}
	from := p + 1
	if p > j+1 {
		from = p - 1
	}
	t := c.tokens[from]
	if t[0] != own || t[1] == own {
		to = append(to, Move{int(t[0]), from, p})
	}
	if t[1] != own && t[1] != t[0] {
		to = append(to, Move{int(t[1]), from, p})
	}
	return to
}

// push returns the move of the method "on avance au mieux" in c, which must not be solved, and whether the free place
// still goes right after it. It runs to an end of the line and back. Running right it takes, from the base that it
// enters, a token of the smallest colour; running left one of the largest. Turning round is no move.
func (c *Configuration) push(right bool) (Move, bool) {
	p := int(c.hole)
	right = right && p < int(c.bases)-1 || p == 0
	if right {
		return Move{int(c.tokens[p+1][0]), p + 1, p}, true
	}
	return Move{int(c.tokens[p-1][1]), p - 1, p}, false
}

// errMethod says that a method does not end; the source's methods do.
var errMethod = errors.New("the method does not end")

// Play returns the moves of a method from c to the goal. The search for the best or worst way of the first method looks
// at no more than limit configurations; the error wraps ErrLimit when that is not enough.
func (m Method) Play(c Configuration, limit int) ([]Move, error) {
	var way []Move
	if m == BestPush {
		for right := true; !c.Solved(); {
			var next Move
			if next, right = c.push(right); len(way) == limit {
				return nil, fmt.Errorf("%w: %d moves", errMethod, limit)
			}
			way = append(way, next)
			c = c.After(next)
		}
		return way, nil
	}
	p := player{m, limit, map[Configuration]int{}}
	if _, err := p.cost(c); err != nil {
		return nil, err
	}
	for !c.Solved() {
		var best Move
		most := -1
		for _, next := range c.oneBase(nil) {
			if n := p.known[c.After(next)]; most < 0 || m.prefers(n, most) {
				best, most = next, n
			}
		}
		way = append(way, best)
		c = c.After(best)
	}
	return way, nil
}

// prefers reports whether the method takes a way of a moves rather than one of b.
func (m Method) prefers(a, b int) bool {
	if m == OneBaseWorst {
		return a > b
	}
	return a < b
}

// A player finds the moves that the first method takes.
type player struct {
	method Method
	limit  int
	known  map[Configuration]int
}

func (p *player) cost(c Configuration) (int, error) {
	if n, ok := p.known[c]; ok {
		return n, nil
	}
	if len(p.known) >= p.limit {
		return 0, &LimitError{Limit: p.limit}
	}
	most := 0
	for i, next := range c.oneBase(nil) {
		n, err := p.cost(c.After(next))
		if err != nil {
			return 0, err
		}
		if i == 0 || p.method.prefers(n+1, most) {
			most = n + 1
		}
	}
	p.known[c] = most
	return most, nil
}
