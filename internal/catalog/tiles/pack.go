package tiles

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"pagoda/internal/puzzle/setting"
)

// A pack is the tiles that there are, as the puzzle is sold: how many of each colour. nil is a pack without an end.
type pack [MaxColours]int

// holds reports whether the tiles of a final grid are in the pack. way names the colours of the grid: colour v of the
// grid is way[v] of the pack.
func (p *pack) holds(used tileCount, way []int) bool {
	if p != nil {
		for v, name := range way {
			if used.of(v) > p[name] {
				return false
			}
		}
	}
	return true
}

// is reports whether there are just so many of each colour.
func (p *pack) is(used tileCount, way []int) bool {
	for v, name := range way {
		if used.of(v) != p[name] {
			return false
		}
	}
	return true
}

func (p *pack) total() (n int) {
	for _, k := range p {
		n += k
	}
	return n
}

// write writes the pack as parsePack reads it.
func (p *pack) write(letters string) string {
	var f []string
	for v := range len(letters) {
		f = append(f, fmt.Sprintf("%c%d", letters[v], p[v]))
	}
	return strings.Join(f, ",")
}

// parsePack reads colours, named by letters, and how many tiles or cells of each there are, such as B4,R4,J3. A colour
// that is not named has none.
func parsePack(text, letters string) (*pack, error) {
	var p pack
	named := map[int]bool{}
	for rest := strings.ToUpper(text); ; {
		rest = strings.TrimLeftFunc(rest, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
		if rest == "" && len(named) > 0 {
			break
		}
		if rest == "" {
			return nil, fmt.Errorf("%s names none", setting.Quote(text))
		}
		v := strings.IndexByte(letters, rest[0])
		digits := rest[1:]
		// A colour of digits has its number after a colon: 0:4,1:4.
		colon := strings.HasPrefix(digits, ":")
		digits = strings.TrimPrefix(digits, ":")
		if end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
			rest, digits = digits[end:], digits[:end]
		} else {
			rest = ""
		}
		n, err := strconv.Atoi(digits)
		switch {
		case v < 0:
			return nil, fmt.Errorf("%s: the colours are %s", setting.Quote(text), letters)
		case letters[v] <= '9' && !colon:
			return nil, fmt.Errorf("%s: write a colon after the digit of a colour: %c:4", setting.Quote(text), letters[v])
		case err != nil || n > maxPack:
			return nil, fmt.Errorf("%s: after %c comes how many there are, 0 to %d", setting.Quote(text),
				letters[v], maxPack)
		case named[v]:
			return nil, fmt.Errorf("%s names %c twice", setting.Quote(text), letters[v])
		}
		p[v], named[v] = n, true
	}
	return &p, nil
}

// maxPack bounds the tiles of one colour: more than a grid has cells.
const maxPack = 1000
