package babylone

import (
	"context"
	"errors"
	"fmt"
)

// ErrLarge is wrapped by errors about positions and games that are too large to be searched while a user waits.
var ErrLarge = errors.New("too large for an answer on the spot")

// mostSearched bounds the positions that a question searches.
const mostSearched = 1 << 17

// A solver finds nimbers of positions by searching the positions after it. It is for questions; runs label whole games.
// Not safe for concurrent use.
type solver struct {
	nimbers map[string]int // of positions by the key of their canonical form
}

func newSolver() *solver { return &solver{nimbers: map[string]int{}} }

// nimber is the Grundy value of a position, 0 when the player to move loses.
func (s *solver) nimber(ctx context.Context, p Position) (int, error) {
	p = p.canonical()
	key := p.key()
	if n, ok := s.nimbers[key]; ok {
		return n, nil
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if len(s.nimbers) >= mostSearched {
		return 0, fmt.Errorf("%w: more than %d positions can follow", ErrLarge, mostSearched)
	}
	seen := uint64(0)
	_, after := p.moves()
	for _, q := range after {
		n, err := s.nimber(ctx, q)
		if err != nil {
			return 0, err
		}
		seen |= 1 << n
	}
	n := 0
	for ; seen&1 != 0; seen >>= 1 {
		n++
	}
	s.nimbers[key] = n
	return n, nil
}

// key is a position as a map key.
func (p Position) key() string {
	b := make([]byte, 0, 2*len(p))
	for _, pile := range p {
		b = append(b, pile.Colour, byte(pile.Height))
	}
	return string(b)
}
