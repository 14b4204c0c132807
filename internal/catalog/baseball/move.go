package baseball

import "fmt"

// A Board says which bases are neighbours.
type Board int

// The boards.
const (
	Ring Board = iota // base i and base i+1 modulo n
	Line              // base i and base i+1
)

var boardNames = []string{"ring", "line"}

func (b Board) String() string { return boardNames[b] }

// A Move takes a token of a colour from a base to the free place in another.
type Move struct{ Colour, From, To int }

func (m Move) String() string { return fmt.Sprintf("%c: %d -> %d", symbols[m.Colour], m.From, m.To) }

// Moves returns the moves of c, one for each colour in each base next to the free place's.
func (c *Configuration) Moves(b Board) []Move { return c.moves(nil, b) }

// moves appends the moves of c.
func (c *Configuration) moves(to []Move, b Board) []Move {
	n, hole := int(c.bases), int(c.hole)
	before, after := hole-1, hole+1
	if b == Ring && n > 2 {
		before, after = (hole+n-1)%n, (hole+1)%n
	}
	for _, from := range [2]int{before, after} {
		if from < 0 || from == n {
			continue
		}
		t := c.tokens[from]
		to = append(to, Move{int(t[0]), from, hole})
		if t[1] != t[0] {
			to = append(to, Move{int(t[1]), from, hole})
		}
	}
	return to
}

// After returns c after a move, which must be one of c's.
func (c Configuration) After(m Move) Configuration {
	stays := c.tokens[m.From][0]
	if int(stays) == m.Colour {
		stays = c.tokens[m.From][1]
	}
	c.tokens[m.To] = pair(c.tokens[m.To][0], uint8(m.Colour))
	c.tokens[m.From] = [2]uint8{stays, free}
	c.hole = uint8(m.From)
	return c
}
