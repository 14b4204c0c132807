package attempt

import (
	"strings"
	"testing"

	"pagoda/internal/puzzle"

	"pgregory.net/rapid"
)

var window = puzzle.WindowID{Cell: puzzle.Cell{Layer: 2, Key: "k"}, Part: 3}

func randomAttempt(t *rapid.T) Attempt {
	return Attempt{
		Epoch:    rapid.Uint64().Draw(t, "epoch"),
		Serial:   rapid.Uint64().Draw(t, "serial"),
		Directed: rapid.Bool().Draw(t, "directed"),
		Audit:    rapid.Bool().Draw(t, "audit"),
	}
}

// TestMarksOnTheWire fixes the bytes of marks: coordinators of two versions read each other's.
func TestMarksOnTheWire(t *testing.T) {
	m := NewMarker([]byte("secret"))
	for _, test := range []struct {
		a    Attempt
		to   string
		want string
	}{
		{Attempt{Epoch: 4, Serial: 17}, "", "4.17.c.eea39e301871f816294f"},
		{Attempt{Epoch: 4, Serial: 17, Directed: true}, "w1", "4.17.d.12437d685eef32d34e74"},
		{Attempt{Epoch: 4, Serial: 17, Directed: true, Audit: true}, "w1", "4.17.da.65c71a532b97a509796a"},
	} {
		if got := m.Mark(test.a, window, test.to); got != test.want {
			t.Errorf("the mark of %s for worker %q is %s, want %s", test.a, test.to, got, test.want)
		}
	}
}

// TestReadWhatWasMarked: a marker of the same secret reads from a mark the attempt that it was made of. The mark is
// worth nothing for another window, for another worker if it was for one, or under another secret.
func TestReadWhatWasMarked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "secret")
		a, to := randomAttempt(t), ""
		if a.Directed {
			to = "w1"
		}
		mark := NewMarker(secret).Mark(a, window, to)
		m := NewMarker(secret)
		if got, ok := m.Read(mark, window, "w1"); !ok || got != a {
			t.Fatalf("%s says %+v (%t), and was made of %+v", mark, got, ok, a)
		}
		if _, ok := m.Read(mark, window, "w2"); ok == a.Directed {
			t.Fatalf("%s of another worker is taken: %t", mark, ok)
		}
		other := window
		other.Part++
		if _, ok := m.Read(mark, other, "w1"); ok {
			t.Fatalf("%s is taken for another window", mark)
		}
		if _, ok := NewMarker(append([]byte{1}, secret...)).Read(mark, window, "w1"); ok {
			t.Fatalf("%s is taken under another secret", mark)
		}
	})
}

// TestChangedMarks: a mark with one byte changed or left out is refused, like a text that is no mark.
func TestChangedMarks(t *testing.T) {
	m := NewMarker([]byte("secret"))
	mark := m.Mark(Attempt{Epoch: 4, Serial: 17, Directed: true}, window, "w1")
	texts := []string{"", ".", "...", "4.17.d", "4.17.d.", "x.y.d.0", "4.17.d.0"}
	texts = append(texts, strings.ToUpper(mark), " "+mark, mark+"0", mark+".0")
	for i := range len(mark) {
		texts = append(texts, mark[:i]+mark[i+1:], mark[:i]+string(rune(mark[i]^1))+mark[i+1:])
	}
	for _, text := range texts {
		if a, ok := m.Read(text, window, "w1"); ok {
			t.Errorf("%q is taken for a mark of %s", text, a)
		}
	}
}

// TestSample: numbers are in [0, 1), the same every time, spread over it, and others for another question or secret.
func TestSample(t *testing.T) {
	m, other := NewMarker([]byte("secret")), NewMarker([]byte("another"))
	const windows = 4000
	below := 0
	for part := range windows {
		id := window
		id.Part = part
		x := m.Sample("audit", id)
		if x < 0 || x >= 1 || x != m.Sample("audit", id) {
			t.Fatalf("window %s: %g, then %g", id, x, m.Sample("audit", id))
		}
		if x == m.Sample("self", id) || x == other.Sample("audit", id) {
			t.Fatalf("window %s: %g for another question or secret too", id, x)
		}
		if x < 0.25 {
			below++
		}
	}
	if below < windows/5 || below > windows*3/10 {
		t.Errorf("%d of %d numbers are below a quarter", below, windows)
	}
}
