package babylone

import (
	"errors"
	"slices"
	"testing"
)

// FuzzParsePosition demands that a text that is read is a position, and when written is read again.
func FuzzParsePosition(f *testing.F) {
	for _, text := range []string{"y1,y1,b1,b1", "b3 r1", "b0", "b", "b65", "b64,r1", "b-1", "b+1", "b01", ",,", "é1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePosition(text)
		if err != nil {
			if !errors.Is(err, ErrPosition) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if n := p.bricks(); n < len(p) || n > MaxBricks {
			t.Errorf("%q: %d bricks in %d piles", text, n, len(p))
		}
		q, err := ParsePosition(p.String())
		if err != nil || !slices.Equal(p, q) {
			t.Errorf("%q is written %s, which is read as %v, %v", text, p, q, err)
		}
	})
}

// TestParsePositionForms reads one position in every form in which positions are written.
func TestParsePositionForms(t *testing.T) {
	for _, text := range []string{"b1,b1,y1,y2", "y2 b1 y1 b1", "b1, b1, y1, y2\r\n", "b1\nb1\ny1\ny2\n",
		"b1\tb1\ty1\ty2"} {
		if p, err := ParsePosition(text); err != nil || p.String() != "b1,b1,y1,y2" {
			t.Errorf("%q is read as %s, %v", text, p, err)
		}
	}
}

// FuzzParseGame demands that a game that is read is within the bounds.
func FuzzParseGame(f *testing.F) {
	for _, text := range []string{"2x2", "3,2,2", "2x", "x", "1x64", "99999999999x1", "2x1,1", "1,,1", " 3 , 2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		bricks, err := ParseGame(text)
		if err != nil {
			if !errors.Is(err, ErrGame) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if n := sum(bricks); n < len(bricks) || n > MaxBricks || len(bricks) > MaxColours || slices.Min(bricks) < 1 {
			t.Errorf("%q is read as %v", text, bricks)
		}
		again, err := ParseBricks(writeBricks(bricks), 0)
		if err != nil || !slices.Equal(again, bricks) {
			t.Errorf("%q is written %s, which is read as %v, %v", text, writeBricks(bricks), again, err)
		}
	})
}
