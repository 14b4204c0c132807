package mousetrap

import (
	"context"
	"math/bits"

	"pagoda/internal/puzzle"
)

// A search puts cards back in every possible order, the one removed last first, before a rest of cards. The places of
// the rest in the circle are known, its cards are not. The search keeps the cells that the game forbids, and the
// arrangements of the rest that avoid them.
//
// A card is put back before the place at which counting went on after its removal. Going back from it one place and one
// number at a time, one comes to the place at which number 1 was said: there counting began. Every place passed forbids
// a cell, the one of the number said there, or, where the card there is known and has that number, the whole branch.
type search struct {
	rules Rules
	rest  *arrangements
	// action[c][v] is taken when number v is said at circle code c: allow, reject, or the forbidden cell, as the index of
	// its first word in rest.without.
	action [2 * codes][codes]int32
	bit    [codes]uint32 // of card v among the cards of the rest, 0 when it is none of them
	every  uint32        // bits of all of them
	cards  uint64        // bit v for card v of the rest
	frames [MostCards + 2]frame
	order  [MostCards]uint8 // cards put back, the last one removed first
	// visit is called at the end of each branch, unless it is nil: then count grows by the arrangements left there.
	visit func(f *frame, order []uint8) error
	count uint64
	ctx   context.Context // of the window being computed
	steps uint64          // nodes of the search
}

// A frame is a node of the search.
type frame struct {
	// circle has the places in order, from the one at which counting goes on: i stands for place i of the rest, known+v
	// for card v.
	circle [codes]uint8
	size   int
	// forbidden[i] has bit j for the forbidden cell of place i and the j-th smallest card of the rest.
	forbidden [MostCards]uint32
	// alive has the arrangements that avoid the forbidden cells.
	alive []uint64
	// cells are those that the step to this node forbids for the first time, as in search.action; marks are the same.
	cells [MostCards * MostCards]int32
	marks [MostCards * MostCards]mark
}

// A mark is a cell: a place of the rest, and the bit of a card.
type mark struct {
	place uint8
	card  uint32
}

const (
	codes = 32
	known = codes // the code of card v is known+v

	allow  = -1
	reject = -2
	// lookEvery is the number of nodes between two looks at the context.
	lookEvery = 1 << 14
)

// MostCards bounds the decks that are counted. A set of cards, and a row of a matrix, has a bit for each.
const MostCards = 24

// run searches all orders in which the cards of before (bit v-1 for card v) can be removed before the rest.
func (s *search) run(ctx context.Context, rest *arrangements, before uint32) error {
	s.rest, s.ctx = rest, ctx
	s.prepare()
	f := &s.frames[0]
	f.size = len(rest.cards)
	for i := range f.size {
		f.circle[i] = uint8(i)
	}
	f.forbidden = [MostCards]uint32{}
	for i := range s.frames[:bits.OnesCount32(before)+1] {
		s.frames[i].alive = resize(s.frames[i].alive, rest.words)
	}
	copy(f.alive, rest.all)
	if before == 0 && s.visit == nil {
		s.count += rest.countAvoiding(f.alive, nil)
		return nil
	}
	return s.node(0, before)
}

// prepare fills the tables for the rest.
func (s *search) prepare() {
	for c := range s.action {
		for v := range s.action[c] {
			s.action[c][v] = allow
		}
	}
	for v := 1; v <= s.rules.Cards; v++ {
		s.action[known+v][v] = reject
	}
	s.bit, s.every, s.cards = [codes]uint32{}, 1<<len(s.rest.cards)-1, 0
	for j, v := range s.rest.cards {
		s.bit[v] = 1 << j
		s.cards |= 1 << v
		for place := range s.rest.cards {
			s.action[place][v] = int32(s.rest.cell(place, j))
		}
	}
}

// node puts the cards of before back, behind frame depth.
func (s *search) node(depth int, before uint32) error {
	if s.steps++; s.steps%lookEvery == 0 {
		if err := puzzle.Progress(s.ctx); err != nil {
			return err
		}
	}
	f := &s.frames[depth]
	if before == 0 {
		return s.visit(f, s.order[:depth])
	}
	if s.rules.Modular {
		return s.putBackModular(depth, before)
	}
	return s.putBack(depth, before)
}

// putBack goes on with every card of before in the plain game.
//
// Number v is said at index v-d of the circle, where d is the same for all indices of one time round. So a known card
// is in the way when its number less its index is d. The cells are the bits that the indices of the rest, moved by d,
// have in common with its cards: no need to walk.
func (s *search) putBack(depth int, before uint32) error {
	f, g := &s.frames[depth], &s.frames[depth+1]
	var places, differences uint64 // indices of the rest; of known cards number less index, plus 32
	for i, code := range f.circle[:f.size] {
		if code < known {
			places |= 1 << i
		} else {
			differences |= 1 << (int(code) - known - i + 32)
		}
	}
nextCard:
	for left := before; left != 0; left &= left - 1 {
		card := bits.TrailingZeros32(left) + 1
		n := 0
		for d := card - f.size; d > -f.size; d -= f.size + 1 {
			if differences>>((d+32)%64)&1 != 0 {
				continue nextCard
			}
			for cells := places << ((d + 32) % 64) >> 32 & s.cards; cells != 0; cells &= cells - 1 {
				v := bits.TrailingZeros64(cells)
				place := f.circle[(v-d)%codes] % codes
				if f.forbidden[place]&s.bit[v%codes] == 0 {
					g.cells[n] = s.action[place][v%codes]
					g.marks[n] = mark{place, s.bit[v%codes]}
					n++
				}
			}
		}
		at := f.size + 1 - card
		for at < 0 {
			at += f.size + 1
		}
		s.order[depth] = uint8(card)
		if err := s.child(depth, at, n, before&^(1<<(card-1))); err != nil {
			return err
		}
	}
	return nil
}

// putBackModular goes on with every card of before in the modular game, and with every place from which counting can
// have come to it.
func (s *search) putBackModular(depth int, before uint32) error {
	f, g := &s.frames[depth], &s.frames[depth+1]
	period := s.rules.period(f.size + 1)
	for left := before; left != 0; left &= left - 1 {
		card := bits.TrailingZeros32(left) + 1
		f.circle[f.size] = uint8(known + card)
		s.order[depth] = uint8(card)
		n := 0
		at, number := f.size, card
		for said := 1; said <= period; said++ {
			if said > 1 {
				if at--; at < 0 {
					at = f.size
				}
				code := f.circle[at]
				action := s.action[code][number]
				if action == reject {
					break
				}
				if action >= 0 && f.forbidden[code]&s.bit[number] == 0 {
					g.cells[n], g.marks[n] = action, mark{code, s.bit[number]}
					n++
				}
			}
			if number == 1 {
				if err := s.child(depth, at, n, before&^(1<<(card-1))); err != nil {
					return err
				}
				number = s.rules.Cards + 1
			}
			number--
		}
	}
	return nil
}

// child goes on to the node in which counting began at the given index of the circle. The card last put back is at the
// end of the circle. Counting forbade the first n cells of the frame behind.
func (s *search) child(depth, at, n int, before uint32) error {
	f, g := &s.frames[depth], &s.frames[depth+1]
	if s.visit == nil && before == 0 {
		s.steps++
		s.count += s.rest.countAvoiding(f.alive, g.cells[:n])
		return nil
	}
	if !s.rest.avoid(g.alive, f.alive, g.cells[:n]) {
		return nil
	}
	g.forbidden = f.forbidden
	for _, m := range g.marks[:n] {
		g.forbidden[m.place] |= m.card
		if g.forbidden[m.place] == s.every {
			return nil // no card can lie there
		}
	}
	f.circle[f.size] = known + s.order[depth]
	g.size = f.size + 1
	moved := copy(g.circle[:], f.circle[at:g.size])
	copy(g.circle[moved:], f.circle[:at])
	return s.node(depth+1, before)
}
