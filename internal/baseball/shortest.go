package baseball

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
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
// It asks for a way of so many moves, one or two more each time, from the number that the tokens need (see need) on. Then
// it searches from both sides, layer by layer, the side with the smaller last layer first, and leaves out what has too
// few moves left for its tokens.
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

// A side is a breadth-first search from one configuration to another. Configurations are numbered as they are found.
type side struct {
	bases  int
	homes  homes // of the configuration that is searched
	apart  [][]int
	seed   maphash.Seed
	tokens []byte   // 2 x bases of each
	parent []uint32 // of each, itself for the first
	table  []uint64 // open addressing, see slot; 0 for none
	layers []int    // the first number of each layer, and the number of all
}

func newSide(from, to Configuration, apart [][]int) *side {
	s := &side{
		bases: from.Bases(), homes: to.homes(), apart: apart, seed: maphash.MakeSeed(), table: make([]uint64, 1<<6),
	}
	s.add(from.key(nil), 0)
	s.layers = []int{0, 1}
	return s
}

// key appends the tokens of c, 2 for each base.
func (c *Configuration) key(to []byte) []byte {
	for i := range int(c.bases) {
		to = append(to, c.tokens[i][0], c.tokens[i][1])
	}
	return to
}

// last is the size of the last layer.
func (s *side) last() int { return s.layers[len(s.layers)-1] - s.layers[len(s.layers)-2] }

// slot returns where in the table a key is or belongs, and its entry: the upper half of the key's hash, which saves most
// comparisons of keys, and below it the number + 1, here 0.
func (s *side) slot(key []byte) (at, entry uint64) {
	mask := uint64(len(s.table) - 1)
	hash := maphash.Bytes(s.seed, key)
	entry = hash &^ (1<<32 - 1)
	for at = hash & mask; s.table[at] != 0; at = (at + 1) & mask {
		if s.table[at]&^(1<<32-1) == entry && bytes.Equal(s.at(int(uint32(s.table[at]))-1), key) {
			break
		}
	}
	return at, entry
}

func (s *side) at(i int) []byte { return s.tokens[2*s.bases*i : 2*s.bases*(i+1)] }

// find returns the number of a configuration, -1 when it has not been found.
func (s *side) find(key []byte) int {
	at, _ := s.slot(key)
	return int(uint32(s.table[at])) - 1
}

// add numbers a configuration unless it has a number.
func (s *side) add(key []byte, parent int) {
	at, entry := s.slot(key)
	if s.table[at] != 0 {
		return
	}
	s.tokens = append(s.tokens, key...)
	s.parent = append(s.parent, uint32(parent))
	s.table[at] = entry | uint64(len(s.parent))
	if 2*len(s.parent) > len(s.table) {
		s.table = make([]uint64, 2*len(s.table))
		for i := range s.parent {
			at, entry := s.slot(s.at(i))
			s.table[at] = entry | uint64(i+1)
		}
	}
}

// configuration returns the configuration of a number.
func (s *side) configuration(i int) Configuration {
	c := Configuration{bases: uint8(s.bases)}
	t := s.at(i)
	for b := range s.bases {
		c.tokens[b] = [2]uint8{t[2*b], t[2*b+1]}
		if t[2*b+1] == free {
			c.hole = uint8(b)
		}
	}
	return c
}

// advance finds the next layer of s. If it meets the other side, it ends with the numbers of a configuration of s and
// of a neighbour on the other side; to is -1 otherwise. No layers have met before, so the neighbour is in the last layer
// of the other side.
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
				continue // nor is it on the other side: that would make a way of too many moves
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

// trail returns the way from the first configuration to one.
func (s *side) trail(i int) []Configuration {
	var out []Configuration
	for {
		out = append(out, s.configuration(i))
		if i == 0 {
			break
		}
		i = int(s.parent[i])
	}
	slices.Reverse(out)
	return out
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
