package baseball

import (
	"errors"
	"fmt"
	"strings"
)

// MaxNotation is the largest number of bases that can be written: the colours are the digits and the letters a to z.
const MaxNotation = 36

// free marks the free place in a base; it is always the second one.
const free = 0xff

// ErrConfiguration is wrapped by the errors of Parse.
var ErrConfiguration = errors.New("not a configuration")

// A Configuration is two to MaxNotation bases with their tokens. It is comparable: equal configurations are ==.
type Configuration struct {
	bases, hole uint8
	tokens      [MaxNotation][2]uint8 // ascending in each base, zero past the last base
}

// Goal returns the configuration of n bases in which every token is in the base of its colour.
func Goal(n int) Configuration {
	c := Configuration{bases: uint8(n)}
	c.tokens[0] = [2]uint8{0, free}
	for i := 1; i < n; i++ {
		c.tokens[i] = [2]uint8{uint8(i), uint8(i)}
	}
	return c
}

// Bases returns the number of bases.
func (c *Configuration) Bases() int { return int(c.bases) }

// Solved reports whether every token is in the base of its colour.
func (c *Configuration) Solved() bool { return c.incomplete() < 0 }

// complete reports whether all the tokens of base i's colour are in it, and no others.
func (c *Configuration) complete(i int) bool {
	return c.tokens[i][0] == uint8(i) && (c.tokens[i][1] == uint8(i) || i == 0 && c.hole == 0)
}

// incomplete returns the rightmost base that is not complete, -1 when there is none.
func (c *Configuration) incomplete() int {
	for i := int(c.bases) - 1; i >= 0; i-- {
		if !c.complete(i) {
			return i
		}
	}
	return -1
}

const symbols = "0123456789abcdefghijklmnopqrstuvwxyz"

// String writes the bases from base 0 up, colours ascending, "_" for the free place, such as "44|0_|11|22|33".
func (c Configuration) String() string {
	b := make([]byte, 0, 3*MaxNotation)
	for i := range int(c.bases) {
		if i > 0 {
			b = append(b, '|')
		}
		for _, t := range c.tokens[i] {
			if t == free {
				b = append(b, '_')
			} else {
				b = append(b, symbols[t])
			}
		}
	}
	return string(b)
}

// Parse reads a configuration as String writes it; the two places of a base may come in either order. The error wraps
// ErrConfiguration and names the mistake and the right form.
func Parse(text string) (Configuration, error) {
	wrong := func(format string, args ...any) (Configuration, error) {
		return Configuration{}, fmt.Errorf("%w: %s", ErrConfiguration, fmt.Sprintf(format, args...))
	}
	if len(text) > 3*MaxNotation-1 {
		return wrong("%d characters; there are at most %d bases", len(text), MaxNotation)
	}
	groups := strings.Split(text, "|")
	n := len(groups)
	if n < 2 {
		return wrong("%q is one base; write two places for every base, with | between bases, such as 0_|11", text)
	}
	c := Configuration{bases: uint8(n)}
	var count [MaxNotation]int
	holes := 0
	for i, g := range groups {
		if len(g) != 2 {
			return wrong("base %d is %q; a base has two places, _ for the free one", i, g)
		}
		for k := range 2 {
			if g[k] == '_' {
				c.tokens[i][k], c.hole = free, uint8(i)
				holes++
				continue
			}
			colour := strings.IndexByte(symbols, g[k])
			if colour < 0 || colour >= n {
				return wrong("base %d holds %q; the colours of %d bases are 0 to %c", i, g[k:k+1], n, symbols[n-1])
			}
			c.tokens[i][k] = uint8(colour)
			count[colour]++
		}
		c.tokens[i] = pair(c.tokens[i][0], c.tokens[i][1])
	}
	if holes != 1 {
		return wrong("%d free places; there is one", holes)
	}
	for colour := range n {
		if want := tokensOf(colour); count[colour] != want {
			return wrong("colour %c has %d tokens, and must have %d; all colours have two but 0, which has one",
				symbols[colour], count[colour], want)
		}
	}
	return c, nil
}

func tokensOf(colour int) int {
	if colour == 0 {
		return 1
	}
	return 2
}

func pair(a, b uint8) [2]uint8 { return [2]uint8{min(a, b), max(a, b)} }
