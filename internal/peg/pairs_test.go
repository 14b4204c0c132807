package peg

import "testing"

// The numbers of compatible pairs and of their classes are published for these boards; with reversal, for the English.
func TestPairClasses(t *testing.T) {
	for _, c := range []struct {
		board                 string
		pairs, plain, reverse int
	}{{"english", 125, 21, 16}, {"french", 64, 10, 7}, {"square6", 144, 21, 16}} {
		b, err := Named(c.board)
		if err != nil {
			t.Fatal(err)
		}
		pairs, plain, reverse := CompatiblePairs(b), PairClasses(b, false), PairClasses(b, true)
		if len(pairs) != c.pairs || len(plain) != c.plain || len(reverse) != c.reverse {
			t.Errorf("%s: %d pairs in %d classes, %d with reversal; want %d, %d, %d",
				c.board, len(pairs), len(plain), len(reverse), c.pairs, c.plain, c.reverse)
		}
		n := 0
		for _, class := range reverse {
			n += len(class)
		}
		if n != len(pairs) {
			t.Errorf("%s: classes hold %d pairs of %d", c.board, n, len(pairs))
		}
	}
}
