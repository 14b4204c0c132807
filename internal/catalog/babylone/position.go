package babylone

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A Pile is the visible part of a pile: its height and the colour on top.
type Pile struct {
	Colour byte // a letter from a to z
	Height int
}

// A Position is piles in order: by colour, then by height.
type Position []Pile

// ErrPosition is wrapped by errors about texts that are no position.
var ErrPosition = errors.New("not a position")

// letters names colours, the first ones as the source does: blue, red, yellow, green, ...
const letters = "bryowgpkacdefhijlmnq"

// names are the letters in order.
const names = "abcdefghijklmnopqrstuvwxyz"

// ParsePosition reads piles separated by commas or blanks, each of them the letter of its top colour and its height,
// such as "y1,y1,b3". At most MaxColours colours and MaxBricks bricks are allowed. The error wraps ErrPosition and says
// which pile is at fault.
func ParsePosition(text string) (Position, error) {
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	if len(fields) == 0 {
		return nil, fmt.Errorf("%w: no piles; write one as y1,y1,b3: the letter of the top colour and the height",
			ErrPosition)
	}
	var p Position
	total, colours := 0, map[byte]bool{}
	for i, f := range fields {
		pile, err := parsePile(f)
		if err != nil {
			return nil, fmt.Errorf("%w: pile %d is %q: %w", ErrPosition, i+1, shorten(f), err)
		}
		colours[pile.Colour] = true
		if total += pile.Height; total > MaxBricks {
			return nil, fmt.Errorf("%w: more than %d bricks", ErrPosition, MaxBricks)
		}
		p = append(p, pile)
	}
	if len(colours) > MaxColours {
		return nil, fmt.Errorf("%w: %d colours on top; at most %d are allowed", ErrPosition, len(colours), MaxColours)
	}
	p.sort()
	return p, nil
}

func parsePile(text string) (p Pile, err error) {
	if text[0] < 'a' || text[0] > 'z' {
		return p, errors.New("a pile begins with the letter of its top colour, a to z")
	}
	h, err := strconv.ParseUint(text[1:], 10, 16)
	if err != nil || h < 1 || h > MaxBricks {
		return p, fmt.Errorf("its height must be a number from 1 to %d", MaxBricks)
	}
	return Pile{text[0], int(h)}, nil
}

func (p Position) sort() {
	slices.SortFunc(p, func(a, b Pile) int {
		return cmp.Or(cmp.Compare(a.Colour, b.Colour), cmp.Compare(a.Height, b.Height))
	})
}

// String is such as "b3".
func (p Pile) String() string { return string(p.Colour) + strconv.Itoa(p.Height) }

// String writes the piles as ParsePosition reads them.
func (p Position) String() string { return p.join(",") }

func (p Position) join(separator string) string {
	s := make([]string, len(p))
	for i, pile := range p {
		s[i] = pile.String()
	}
	return strings.Join(s, separator)
}

// bricks is the sum of the heights.
func (p Position) bricks() (n int) {
	for _, pile := range p {
		n += pile.Height
	}
	return n
}

// start is the position with the bricks of a game side by side.
func start(bricks []int) Position {
	var p Position
	for c, n := range bricks {
		p = append(p, slices.Repeat(Position{{letters[c], 1}}, n)...)
	}
	p.sort()
	return p
}

// A Move puts one pile on another.
type Move struct{ Upper, Lower Pile }

// String is such as "b1 on r1".
func (m Move) String() string {
	return m.Upper.String() + " on " + m.Lower.String()
}

// moves lists the moves of a position and the positions after them, each position once: putting two piles of one colour
// upon each other gives the same position either way, and no two other moves of different piles do.
func (p Position) moves() (moves []Move, after []Position) {
	for i := range p {
		if i > 0 && p[i] == p[i-1] {
			continue
		}
		for j := range p {
			// Of equal piles the first is put on the second, or takes part as one of them.
			second := j == i+1 && p[j] == p[i]
			if i == j || j > 0 && p[j] == p[j-1] && !second {
				continue
			}
			sameColour := p[i].Colour == p[j].Colour
			if sameColour && j < i || !sameColour && p[i].Height != p[j].Height {
				continue
			}
			next := make(Position, 0, len(p)-1)
			for k := range p {
				if k != i && k != j {
					next = append(next, p[k])
				}
			}
			next = append(next, Pile{p[i].Colour, p[i].Height + p[j].Height})
			next.sort()
			moves, after = append(moves, Move{p[i], p[j]}), append(after, next)
		}
	}
	return moves, after
}

// canonical is the position with its colours renamed, the same for all positions that are the same up to colours. p is
// sorted.
func (p Position) canonical() Position {
	var colours []Position
	for i := 0; i < len(p); {
		j := i
		for j < len(p) && p[j].Colour == p[i].Colour {
			j++
		}
		colours = append(colours, p[i:j])
		i = j
	}
	slices.SortFunc(colours, func(a, b Position) int {
		return slices.CompareFunc(a, b, func(x, y Pile) int { return cmp.Compare(x.Height, y.Height) })
	})
	q := make(Position, 0, len(p))
	for c, piles := range colours {
		for _, pile := range piles {
			q = append(q, Pile{names[c], pile.Height})
		}
	}
	return q
}
