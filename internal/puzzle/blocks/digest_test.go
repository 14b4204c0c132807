package blocks

import (
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks/blockstest"
)

func TestDigestText(t *testing.T) {
	var d Digest
	d[0], d[31] = 0xab, 1
	text, err := d.MarshalText()
	var got Digest
	if err != nil || got.UnmarshalText(text) != nil || got != d {
		t.Errorf("%s, %v: %v", text, err, got)
	}
	s := string(text)
	for _, bad := range []string{"", s[1:], s + "0", "AB" + s[2:], "xy" + s[2:]} {
		if got.UnmarshalText([]byte(bad)) == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

// TestDigestIsOfTheContent: equal content gives equal digests whatever columns of zeros trail; any change changes it.
func TestDigestIsOfTheContent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := blockstest.DrawWindow(t)
		b := blockstest.DrawBlock(t, w, w.First)
		sum := func(w puzzle.Window, b *puzzle.Block) Digest {
			h := NewHasher(w)
			h.Add(b)
			return h.Sum()
		}
		d := sum(w, b)
		padded := *b
		padded.Columns = append(append([][]uint64(nil), b.Columns...), make([]uint64, b.Rows()))
		if sum(w, &padded) != d {
			t.Fatal("a column of zeros at the end changes the digest")
		}
		moved, movedBlock := w, *b
		moved.First += 5
		movedBlock.First += 5
		if sum(moved, &movedBlock) != d {
			t.Fatal("the place of the window changes the digest")
		}
		other := *b
		other.Occupied = append([]uint64(nil), b.Occupied...)
		other.Occupied[0] ^= 2
		if sum(w, &other) == d {
			t.Fatal("another bitmap has the same digest")
		}
		if len(b.Columns) > 0 {
			b.Columns[0][0]++
			if sum(w, b) == d {
				t.Fatal("another value has the same digest")
			}
		}
	})
}
