package babylone

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestNumbers goes through all positions of small games.
func TestNumbers(t *testing.T) {
	for n := 1; n <= 10; n++ {
		for _, bricks := range allSplits(n, 5) {
			s, err := newSpace(bricks)
			if err != nil {
				t.Fatal(err)
			}
			apart, err := countApart(bricks)
			if err != nil {
				t.Fatal(err)
			}
			for piles := range n + 1 {
				total := uint64(0)
				var ids []int32
				for r := range s.size(piles) {
					other := s.unrank(r, piles, nil)
					if r == 0 {
						ids = other
					} else if ids = s.next(ids, r, piles); !slices.Equal(ids, other) {
						t.Fatalf("%v, %d piles: position %d is %v after the one before it and %v by its number",
							bricks, piles, r, ids, other)
					}
					if got := s.rank(ids, piles); got != r {
						t.Fatalf("%v, %d piles: position %d has number %d", bricks, piles, r, got)
					}
					if p := s.position(ids); len(p) != piles || p.bricks() != n {
						t.Fatalf("%v, %d piles: position %d is %v", bricks, piles, r, p)
					}
					total += s.apart(ids)
				}
				if apart[piles].Lo != total {
					t.Fatalf("%v, %d piles: %d positions, want %v", bricks, piles, total, apart[piles])
				}
			}
		}
	}
}

// TestRandomNumbers draws positions of large games by number. The last game has levels of more than 2^32 positions.
func TestRandomNumbers(t *testing.T) {
	var spaces []*space
	for _, bricks := range [][]int{
		{6, 6, 6, 6, 6, 6}, {9, 7, 5, 3, 1}, {3, 3, 3, 3, 3, 3, 3, 3, 3}, {14, 2, 2, 2, 1, 1}, {7, 7, 7, 7, 7, 7, 7},
	} {
		s, err := newSpace(bricks)
		if err != nil {
			t.Fatal(err)
		}
		spaces = append(spaces, s)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(spaces).Draw(t, "space")
		piles := rapid.IntRange(1, s.total).Filter(func(k int) bool { return s.size(k) > 0 }).Draw(t, "piles")
		r := rapid.Uint64Range(0, s.size(piles)-1).Draw(t, "number")
		ids := s.unrank(r, piles, nil)
		if got := s.rank(ids, piles); got != r {
			t.Fatalf("position %d has number %d", r, got)
		}
		back, ok := s.ids(s.position(ids))
		if !ok || !slices.Equal(back, ids) {
			t.Fatalf("%v is read as %v", s.position(ids), back)
		}
		for i, id := range ids {
			if i > 0 && id > ids[i-1] {
				t.Fatalf("%v is not in descending order", ids)
			}
		}
		if r+1 < s.size(piles) {
			if next := s.next(slices.Clone(ids), r+1, piles); s.rank(next, piles) != r+1 {
				t.Fatalf("after %v comes %v", ids, next)
			}
		}
		after, _ := newWalker(s).moves(ids, piles, nil)
		want := map[string]bool{}
		_, positions := s.position(ids).moves()
		for _, p := range positions {
			want[p.canonical().key()] = true
		}
		got := map[string]bool{}
		for _, r := range after {
			got[s.position(s.unrank(r, piles-1, nil)).canonical().key()] = true
		}
		if len(got) != len(want) || len(want) == 0 != s.terminal(ids) {
			t.Fatalf("%v has %d positions after it, want %d", s.position(ids), len(got), len(want))
		}
		for p := range want {
			if !got[p] {
				t.Fatalf("%v: a move is missing", s.position(ids))
			}
		}
		if n := s.edgesApart(ids); n != uint64(len(positions)) {
			t.Fatalf("%v has %d moves with colours told apart, want %d", s.position(ids), n, len(positions))
		}
	})
}

// TestSaturated: counts that would not fit stay below 2^48, whatever they are multiplied by.
func TestSaturated(t *testing.T) {
	for _, c := range [][3]uint64{
		{1 << 47, 1, 1 << 47}, {1 << 24, 1 << 24, maxPositions}, {maxPositions, 1 << 40, maxPositions}, {0, maxPositions, 0},
	} {
		if got := saturated(c[0], c[1]); got != c[2] {
			t.Errorf("%d times %d is %d, want %d", c[0], c[1], got, c[2])
		}
	}
	if n := multisets(1<<18, 20); n != maxPositions {
		t.Errorf("%d multisets of 20 of 2^18 things", n)
	}
}

// TestStrangers says which positions a game does not have.
func TestStrangers(t *testing.T) {
	s, err := newSpace([]int{2, 2})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"b1,b1,r1,r1": true, "b2,b2": true, "b3,r1": true, "b4": true,
		"b3,b1": false, "b1,b1,b1,r1": false, "b1,r1": false, "b5": false,
	} {
		p, err := ParsePosition(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := s.ids(p); ok != want {
			t.Errorf("%s: %v, want %v", text, ok, want)
		}
	}
}

func BenchmarkMoves(b *testing.B) {
	s, err := newSpace([]int{6, 6, 6, 6, 6})
	if err != nil {
		b.Fatal(err)
	}
	const piles = 12
	w, ids, r := newWalker(s), s.unrank(0, piles, nil), uint64(0)
	moves := 0
	for b.Loop() {
		if r++; r == s.size(piles) {
			r = 0
			ids = s.unrank(0, piles, ids[:0])
		} else {
			ids = s.next(ids, r, piles)
		}
		after, _ := w.moves(ids, piles, nil)
		moves += len(after)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(moves), "ns/move")
}

// ids is a position as the space numbers it; ok is false when the game has no such position.
func (s *space) ids(p Position) (ids []int32, ok bool) {
	byColour := map[byte][]uint8{}
	for _, pile := range p {
		byColour[pile.Colour] = append(byColour[pile.Colour], uint8(pile.Height))
	}
	for _, heights := range byColour {
		slices.Sort(heights)
		id, ok := s.tables.ids[string(heights)]
		if !ok {
			return nil, false
		}
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b int32) int { return int(b) - int(a) })
	for i, id := range ids {
		if s.classes[s.keys[id].class].colours <= i {
			return nil, false
		}
	}
	return ids, p.bricks() == s.total
}
