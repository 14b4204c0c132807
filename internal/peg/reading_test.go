package peg_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// A notation is a way in which people write positions.
type notation struct {
	peg, empty, none rune
	between, end     string // the signs of a line, and the lines
	before, after    string // the whole
	indent           string
	compact          bool // on the triangular lattice
	ragged           bool // without signs for no hole at the ends of lines
}

func (n notation) write(b *peg.Board, p peg.Position) string {
	col := func(h peg.Hole) int {
		if b.Lattice == peg.Triangular && !n.compact {
			return 2*h.Col - h.Row
		}
		return h.Col
	}
	left, right := col(b.Holes[0]), col(b.Holes[0])
	for _, h := range b.Holes {
		left, right = min(left, col(h)), max(right, col(h))
	}
	grid := make([][]rune, b.Holes[b.Size()-1].Row+1)
	for i := range grid {
		grid[i] = slices.Repeat([]rune{n.none}, right-left+1)
	}
	for i, h := range b.Holes {
		grid[h.Row][col(h)-left] = n.empty
		if p.Has(i) {
			grid[h.Row][col(h)-left] = n.peg
		}
	}
	var lines []string
	for _, row := range grid {
		for n.ragged && row[len(row)-1] == n.none {
			row = row[:len(row)-1]
		}
		lines = append(lines, n.indent+strings.Join(strings.Split(string(row), ""), n.between))
	}
	return n.before + strings.Join(lines, n.end) + n.after
}

// A pair is a sign for a peg and one for an empty hole.
type pair struct{ peg, empty rune }

var (
	clearPairs = []pair{{'o', '.'}, {'O', '.'}, {'o', '_'}, {'X', '.'}, {'x', '_'}, {'X', '0'}, {'*', '.'}, {'*', '_'},
		{'#', '.'}, {'@', '_'}, {'1', '0'}, {'1', '.'}, {'●', '○'}, {'•', '·'}, {'●', '◦'}, {'*', '0'}, {'*', 'o'},
		{'●', 'O'}}
	doubtfulPairs = []pair{{'X', 'O'}, {'x', 'o'}, {'o', 'x'}, {'O', 'o'}, {'#', 'o'}, {'o', '0'}, {'1', 'o'}}
)

func drawNotation(t *rapid.T, pairs []pair) notation {
	p := rapid.SampledFrom(pairs).Draw(t, "signs")
	n := notation{
		peg: p.peg, empty: p.empty,
		none: rapid.SampledFrom([]rune(" --.#xX_0·")).Filter(func(c rune) bool {
			return c != p.peg && c != p.empty
		}).Draw(t, "none"),
		between: rapid.SampledFrom([]string{"", "", " ", "  ", "\t", ",", ", ", " | ", ";"}).Draw(t, "between"),
		end:     rapid.SampledFrom([]string{"\n", "\r\n", "/", "\r", "/\n", " \n"}).Draw(t, "end"),
		before:  rapid.SampledFrom([]string{"", "\ufeff", "\n", "\r\n\n"}).Draw(t, "before"),
		after:   rapid.SampledFrom([]string{"", "\n", " \r\n\r\n", "/"}).Draw(t, "after"),
		indent:  rapid.SampledFrom([]string{"", "", "  ", "\t"}).Draw(t, "indent"),
		compact: rapid.Bool().Draw(t, "compact"),
	}
	n.ragged = n.between == "" && rapid.Bool().Draw(t, "ragged")
	return n
}

// TestForeignNotations: a position in any notation reads as itself on its board, and its drawing as that board, or is
// refused. With signs of one meaning it is read.
func TestForeignNotations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.OneOf(
			pegtest.Board(4, 64),
			rapid.Map(rapid.SampledFrom(peg.Names()), func(n string) *peg.Board { b, _ := peg.Named(n); return b }),
		).Draw(t, "board")
		p := pegtest.Position(b).Draw(t, "position")
		isClear := rapid.Bool().Draw(t, "clear")
		pairs := doubtfulPairs
		if isClear {
			pairs = clearPairs
		}
		n := drawNotation(t, pairs)
		n.compact = n.compact || b.Holes[b.Size()-1].Row == 0 // there is no second line to tell the two apart
		if n.compact && b.Lattice == peg.Triangular && n.none == ' ' {
			n.none = '-' // a blank would make it a picture
		}
		text := n.write(b, p)
		got, err := peg.ParseGoal(b, text)
		switch {
		case p == 0 && strings.ContainsRune("oO", n.empty): // no other sign says that rings are empty: they are pegs
			if err == nil && got != b.Full() {
				t.Fatalf("%q reads as %s", text, peg.FormatLine(b, got))
			}
		case err == nil && got != p && isClear:
			t.Fatalf("%q reads as %s, want %s", text, peg.FormatLine(b, got), peg.FormatLine(b, p))
		case err == nil && !isClear && p != 0 && p != b.Full():
			t.Fatalf("%q has two readings and reads as %s", text, peg.FormatLine(b, got))
		case err != nil && strings.Contains(err.Error(), "a hexadecimal number, or a drawing"):
			if b.Holes[b.Size()-1].Row > 0 || n.empty != '0' {
				t.Fatalf("%q: %v", text, err)
			}
		case err != nil && isClear && (b.Lattice == peg.Square || n.between == ""):
			t.Fatalf("%q: %v", text, err)
		}
		outline := peg.FormatLine(b, b.Full())
		if d, err := peg.Draw("drawn", b.Lattice, text); err == nil && peg.FormatLine(d, d.Full()) != outline {
			if strings.ContainsRune("._0·", n.none) && !cornerless(b, n) {
				return // a hole in this notation, see Draw
			}
			t.Fatalf("%q is the board %s, want %s", text, peg.FormatLine(d, d.Full()), outline)
		} else if err != nil && isClear && b.Lattice == peg.Square && n.none == ' ' && strings.Contains(outline, "-") &&
			!strings.ContainsRune("Xx#", n.peg) {
			t.Fatalf("%q: %v", text, err)
		}
	})
}

// cornerless reports whether a corner of the text of b has the sign for no hole.
func cornerless(b *peg.Board, n notation) bool {
	n.peg, n.none, n.between, n.end, n.before, n.after, n.indent = 'o', '-', "", "\n", "", "", ""
	lines := strings.Split(n.write(b, b.Full()), "\n")
	width := len(slices.MaxFunc(lines, func(a, b string) int { return len(a) - len(b) }))
	return slices.ContainsFunc([]string{lines[0], lines[len(lines)-1]}, func(s string) bool {
		return s[0] == '-' || len(s) == width && s[width-1] == '-'
	})
}
