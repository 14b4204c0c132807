package babylone

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Bounds of a game.
const (
	// MaxColours keeps the number of permutations of the colours below 2^63.
	MaxColours = 20
	// MaxBricks is the largest number of bricks in all. A position of n piles has at most n-1 moves before it, so that
	// nimbers stay below it.
	MaxBricks = 64
)

// ErrGame is wrapped by errors about colours and bricks that make no game, or one that is too large.
var ErrGame = errors.New("not a game of Babylone")

// ParseGame reads "2x2", colours and bricks of each, or "3,2,2", the bricks colour by colour.
func ParseGame(text string) ([]int, error) {
	colours, each, ok := strings.Cut(text, "x")
	if !ok {
		return ParseBricks(text, 0)
	}
	n, err := strconv.ParseUint(colours, 10, 16)
	if err != nil || n < 1 || n > MaxColours {
		return nil, fmt.Errorf("%w: %q colours; write 2x2 (colours x bricks of each) or 3,2,2, with 1 to %d colours",
			ErrGame, shorten(colours), MaxColours)
	}
	if strings.Contains(each, ",") {
		return nil, fmt.Errorf("%w: %q; write 2x2 (colours x bricks of each) or 3,2,2", ErrGame, shorten(text))
	}
	return ParseBricks(each, int(n))
}

// ParseBricks reads the bricks of a game of so many colours: one number, which every colour has, or a list with one
// number for each colour, separated by commas. With 0 colours there are as many as the list has.
func ParseBricks(text string, colours int) ([]int, error) {
	fields := strings.Split(text, ",")
	if colours > 0 && len(fields) == 1 {
		fields = slices.Repeat(fields, min(colours, MaxColours+1))
	}
	if len(fields) > MaxColours || colours > MaxColours {
		return nil, fmt.Errorf("%w: %d colours; at most %d are allowed", ErrGame, max(colours, len(fields)), MaxColours)
	}
	if colours > 0 && len(fields) != colours {
		return nil, fmt.Errorf("%w: bricks of %d colours for %d colours; give one number, or one for each colour",
			ErrGame, len(fields), colours)
	}
	bricks, total := make([]int, len(fields)), 0
	for i, f := range fields {
		n, err := strconv.ParseUint(strings.TrimSpace(f), 10, 16)
		if err != nil || n < 1 || n > MaxBricks {
			return nil, fmt.Errorf("%w: %q bricks of a colour; 1 to %d are allowed", ErrGame, shorten(f), MaxBricks)
		}
		bricks[i] = int(n)
		total += int(n)
	}
	if total > MaxBricks {
		return nil, fmt.Errorf("%w: %d bricks in all; at most %d are allowed", ErrGame, total, MaxBricks)
	}
	return bricks, nil
}

// writeBricks writes the text that ParseBricks reads with 0 colours.
func writeBricks(bricks []int) string {
	s := make([]string, len(bricks))
	for i, b := range bricks {
		s[i] = strconv.Itoa(b)
	}
	return strings.Join(s, ",")
}

func sum(list []int) (n int) {
	for _, v := range list {
		n += v
	}
	return n
}

// shorten cuts a text from outside to a length that fits in a message.
func shorten(text string) string {
	const most = 40
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "..."
	}
	return text
}
