package peg

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// between are the signs between two holes of a move.
const between = "-x×–→>"

// stopForm is a hole in a move. Column x is named by row and column there.
const stopForm = `(?:r[0-9]{1,4}c[0-9]{1,4}|[a-wyz]?[1-9][0-9]?)`

// ErrGame is wrapped by [ParseGame] when a text is no game.
var ErrGame = errors.New("bad game")

var (
	moveNumber = regexp.MustCompile(`(^|\s)[0-9]{1,2}[.):](\s|$)`)
	moveForm   = regexp.MustCompile(`^` + stopForm + `(?:[` + between + `]+` + stopForm + `)+$`)
)

// IsGame reports whether a text has the form of a game: moves with an x, a dash or an arrow between two holes.
func IsGame(text string) bool {
	words := moves(text)
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !moveForm.MatchString(w) })
}

// moves are the words of a game, without the numbers of its moves.
func moves(text string) []string {
	text = moveNumber.ReplaceAllString(strings.ToLower(text), " ")
	return strings.FieldsFunc(text, func(c rune) bool { return isBlank(c) || strings.ContainsRune(",;.\r\n", c) })
}

// ParseGame reads the jumps of a game that begins at start. A move is the holes from one to the next, with x, - or an
// arrow between them: 46x44, d6-d4, r5c3xr3c3, or a sweep such as 75x73x53. Blanks, line breaks, commas, semicolons or
// full stops stand between moves, and numbers such as 1. may stand before them. Holes are those of [ParseStart]. Digits
// are labels, or else numbers from 1; the game says which, since every jump must be possible, and one that is possible
// both ways is refused. The error wraps ErrGame and names the jump at fault.
func ParseGame(b *Board, start Position, text string) ([]Jump, error) {
	words := moves(text)
	if len(words) == 0 {
		return nil, fmt.Errorf("%w: it has no jump; write one such as %s", ErrGame, b.exampleJump())
	}
	asLabels, failed := b.play(start, words, byLabel)
	asNumbers, err := b.play(start, words, byNumber)
	switch {
	case failed == nil && err == nil && !slices.Equal(asLabels, asNumbers):
		return nil, fmt.Errorf("%w: it can be played with %s as column and row, and as hole %s; write holes as letter and "+
			"number, such as %s", ErrGame, words[0], words[0], b.HoleText(int(asLabels[0].From)))
	case failed == nil:
		return asLabels, nil
	case err == nil:
		return asNumbers, nil
	case len(asNumbers) > len(asLabels):
		failed = err
	}
	return nil, fmt.Errorf("%w on board %s: %w", ErrGame, b.Name, failed)
}

// play plays moves, and returns the jumps up to the one that cannot be made. digits is the meaning of holes that are
// digits.
func (b *Board) play(p Position, words []string, digits string) (jumps []Jump, err error) {
	for _, word := range words {
		if !moveForm.MatchString(word) {
			return jumps, fmt.Errorf("jump %d: %q is not two holes; write one such as %s", len(jumps)+1, shortened(word),
				b.exampleJump())
		}
		before := -1
		for _, name := range strings.FieldsFunc(word, func(c rune) bool { return strings.ContainsRune(between, c) }) {
			hole, ok := b.stop(name, digits)
			if !ok {
				return jumps, fmt.Errorf("jump %d, %s: the board has no hole %s", len(jumps)+1, word, name)
			}
			if before >= 0 {
				i := slices.IndexFunc(b.Jumps, func(j Jump) bool { return int(j.From) == before && int(j.To) == hole })
				switch {
				case i < 0:
					return jumps, fmt.Errorf("jump %d, %s: no jump leads from %s to %s", len(jumps)+1, word, b.Label(before),
						b.Label(hole))
				case !b.Jumps[i].Legal(p):
					return jumps, fmt.Errorf("jump %d, %s: it cannot be made in %s", len(jumps)+1, word, FormatLine(b, p))
				}
				jumps, p = append(jumps, b.Jumps[i]), b.Jumps[i].Play(p)
			}
			before = hole
		}
	}
	return jumps, nil
}

// stop is the hole of a name in a move.
func (b *Board) stop(name, digits string) (hole int, ok bool) {
	for _, n := range b.named(name) {
		if n.err == nil && (!numberForm.MatchString(name) || n.text == digits) {
			return n.hole, true
		}
	}
	return 0, false
}

// exampleJump is a jump of the board for errors.
func (b *Board) exampleJump() string {
	if len(b.Jumps) == 0 {
		return "46x44"
	}
	return FormatJump(b, b.Jumps[0])
}
