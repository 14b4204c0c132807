package baseball

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// ErrLimit is wrapped when a search gives up.
var ErrLimit = errors.New("too many configurations to look at")

// A LimitError says how many configurations a search looked at before it gave up, and how many moves it has ruled out.
// It wraps ErrLimit.
type LimitError struct {
	Limit int
	Moves int // there is no way of so many moves or fewer
}

func (e *LimitError) Error() string {
	if e.Moves == 0 {
		return fmt.Sprintf("%v: gave up after %d", ErrLimit, e.Limit)
	}
	return fmt.Sprintf("%v: gave up after %d; the shortest way has more than %d moves", ErrLimit, e.Limit, e.Moves)
}

// Unwrap makes errors.Is(err, ErrLimit) hold.
func (e *LimitError) Unwrap() error { return ErrLimit }

// DefaultLimit bounds the configurations that a search looks at, of some 2n + 30 bytes each.
const DefaultLimit = 12_000_000

// Shortest returns a shortest way from c to the goal. The same question has the same answer. It looks at no more than
// limit configurations, in all; the error wraps ErrLimit when that is not enough.
//
// It asks for a way of so many moves, one or two more each time, from the number that the tokens need (see need) on.
// Then it searches from both sides, layer by layer, the side with the smaller last layer first, and leaves out
// configurations with too few moves left for their tokens.
func Shortest(ctx context.Context, c Configuration, board Board, limit int) ([]Move, error) {
	if c.Solved() {
		return nil, nil
	}
	goal := Goal(c.Bases())
	apart := apart(c.Bases(), board)
	held, step := 0, 1
	if board == Line || c.Bases()%2 == 0 {
		step = 2 // a move changes the parity of need
	}
	for most := need(&c, goal.homes(), apart); ; most += step {
		m := meeting{board: board, limit: limit, held: held, most: most, step: step}
		m.sides = [2]*side{newSide(c, goal, apart), newSide(goal, c, apart)}
		way, err := m.search(ctx)
		if way != nil || err != nil {
			return way, err
		}
		held += len(m.sides[0].parent) + len(m.sides[1].parent)
	}
}

// A meeting is a search from both sides for a way of at most so many moves, if there is none of fewer.
type meeting struct {
	sides       [2]*side // from the start, from the goal
	board       Board
	limit, held int // configurations, at most and before
	most, step  int // moves, and how many more than were asked for before
}

// search returns a way, or nil.
func (m *meeting) search(ctx context.Context) ([]Move, error) {
	for moves := 0; moves < m.most; moves++ {
		a, b := m.sides[0], m.sides[1]
		if b.last() < a.last() {
			a, b = b, a
		}
		from, to, err := m.advance(ctx, a, b)
		if err != nil {
			return nil, err
		}
		if to >= 0 {
			if a == m.sides[1] {
				from, to = to, from
			}
			return m.way(from, to), nil
		}
		if a.last() == 0 {
			return nil, nil
		}
	}
	return nil, nil
}

// way joins the ways from the start and from the goal to two neighbours, by their numbers.
func (m *meeting) way(from, to int) []Move {
	trail, back := m.sides[0].trail(from), m.sides[1].trail(to)
	slices.Reverse(back)
	trail = append(trail, back...)
	moves := make([]Move, 0, len(trail)-1)
	for i := range trail[1:] {
		moves = append(moves, between(trail[i], trail[i+1]))
	}
	return moves
}

// between returns the move from one configuration to a neighbour.
func between(c, after Configuration) Move {
	m := Move{From: int(after.hole), To: int(c.hole)}
	m.Colour = int(c.tokens[m.From][0])
	if c.After(m) != after {
		m.Colour = int(c.tokens[m.From][1])
	}
	return m
}

// advance finds the next layer of s. If it meets the other side, it ends with the numbers of a configuration of s and
// of a neighbour on the other side; to is -1 otherwise. No layers have met before, so the neighbour is in the last
// layer of the other side.
func (m *meeting) advance(ctx context.Context, s, other *side) (from, to int, err error) {
	var keys [2 * MaxNotation]byte
	var room [4]Move
	first, end := s.layers[len(s.layers)-2], s.layers[len(s.layers)-1]
	left := m.most - len(s.layers) + 1 // moves, after one from here
	for i := first; i < end; i++ {
		if i%1024 == 0 && ctx.Err() != nil {
			return 0, -1, ctx.Err()
		}
		if m.held+len(s.parent)+len(other.parent) > m.limit {
			return 0, -1, &LimitError{m.limit, m.most - m.step}
		}
		c := s.configuration(i)
		for _, move := range c.moves(room[:0], m.board) {
			after := c.After(move)
			if need(&after, s.homes, s.apart) > left {
				continue // the other side cannot have it: that would make a way of too many moves
			}
			key := after.key(keys[:0])
			if met := other.find(key); met >= 0 {
				return i, met, nil
			}
			s.add(key, i)
		}
	}
	s.layers = append(s.layers, len(s.parent))
	return 0, -1, nil
}

// homes are the bases in which the tokens of each colour are wanted, both of them; for colour 0 twice the same.
type homes [MaxNotation][2]uint8

// homes returns where the tokens of c are.
func (c *Configuration) homes() (h homes) {
	var met [MaxNotation]bool
	for i := range int(c.bases) {
		for _, t := range c.tokens[i] {
			switch {
			case t == free:
			case met[t]:
				h[t][1] = uint8(i)
			default:
				h[t], met[t] = [2]uint8{uint8(i), uint8(i)}, true
			}
		}
	}
	return h
}

// need is a lower bound of the moves that take the tokens of c to where they are wanted: a move takes one token to a
// neighbouring base. It is exact for each token alone, and of two tokens of a colour either may go to either place.
func need(c *Configuration, wanted homes, apart [][]int) int {
	are := c.homes()
	n := apart[are[0][0]][wanted[0][0]]
	for t := 1; t < int(c.bases); t++ {
		a, w := are[t], wanted[t]
		n += min(apart[a[0]][w[0]]+apart[a[1]][w[1]], apart[a[0]][w[1]]+apart[a[1]][w[0]])
	}
	return n
}

// apart returns the numbers of moves between bases.
func apart(n int, board Board) [][]int {
	d := make([][]int, n)
	for i := range d {
		d[i] = make([]int, n)
		for j := range d[i] {
			d[i][j] = max(i-j, j-i)
			if board == Ring {
				d[i][j] = min(d[i][j], n-d[i][j])
			}
		}
	}
	return d
}
