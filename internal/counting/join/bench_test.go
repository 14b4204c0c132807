package join

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// made is a source of windows with made-up counts: in two of five addresses one of 40 bits.
type made struct {
	windows map[puzzle.Cell][]puzzle.Window
	cache   cached
}

func (m made) Tally(puzzle.Cell) (puzzle.Tally, error) { return puzzle.Tally{}, nil }

func (m made) Windows(c puzzle.Cell) ([]puzzle.Window, error) { return m.windows[c], nil }

func (m made) Cache() puzzle.Cache { return m.cache }

func (m made) MemoryBytes() uint64 { return 0 }

func (m made) Blocks(_ context.Context, w puzzle.Window, first, addresses uint64, fn func(*puzzle.Block) error) error {
	random := rand.New(rand.NewPCG(1, w.First))
	b := puzzle.Block{First: first, Addresses: int(addresses)}
	b.Occupied, b.Columns = make([]uint64, (addresses+63)/64), make([][]uint64, 1)
	for i := range addresses {
		if random.Uint64N(5) < 2 {
			b.Occupied[i/64] |= 1 << (i % 64)
			b.Columns[0] = append(b.Columns[0], random.Uint64N(1<<40)+1)
		}
	}
	return fn(&b)
}

// cached keeps everything.
type cached map[puzzle.WindowID]any

func (c cached) Get(id puzzle.WindowID) (any, bool) {
	v, ok := c[id]
	return v, ok
}

func (c cached) Put(id puzzle.WindowID, v any, _ uint64) { c[id] = v }

// halfway is the join of a class of pairs half-way, as package solutions makes it, with made-up counts.
func halfway(board *peg.Board, pair peg.Pair) (*Join, made, error) {
	q := pair.Problem(board)
	start, x := least(board, q.Start)
	end, y := least(board, board.Complement(q.Goal))
	near, err := counting.New(board, start, 1<<20, "near")
	if err != nil {
		return nil, made{}, err
	}
	far := near
	if end != start {
		if far, err = counting.New(board, end, 1<<20, "far"); err != nil {
			return nil, made{}, err
		}
	}
	j, err := New(near, far, y.Compose(x.Inverse()), 17, 34)
	in := made{map[puzzle.Cell][]puzzle.Window{}, cached{}}
	for _, en := range []*counting.Enumeration{near, far} {
		for _, c := range en.Plan(17) {
			for i := range c.Windows() {
				in.windows[c.Cell] = append(in.windows[c.Cell], c.Window(i))
			}
		}
	}
	return j, in, err
}

// least returns the least image of a position, and the symmetry that takes it there.
func least(board *peg.Board, p peg.Position) (peg.Position, peg.Perm) {
	best, at := ^peg.Position(0), peg.Perm(nil)
	for _, g := range board.Symmetries() {
		if x := g.Apply(p); x < best {
			best, at = x, g
		}
	}
	return best, at
}

// nearWindow returns a window from the middle of the largest cell of the near side.
func (m made) nearWindow() (w puzzle.Window) {
	var most uint64
	for cell, list := range m.windows {
		last := list[len(list)-1]
		if n := last.First + last.Addresses; n > most && strings.HasPrefix(cell.Key, "near") {
			most, w = n, list[len(list)/2]
		}
	}
	return w
}

// BenchmarkDot joins one window for each class of pairs of the 6x6 board, half-way. A name has the class, the effect of
// its transform on the fields, and the number of runs of one low type.
func BenchmarkDot(b *testing.B) {
	board, err := peg.Named("square6")
	if err != nil {
		b.Fatal(err)
	}
	for _, class := range peg.PairClasses(board, false) {
		j, in, err := halfway(board, class[0])
		if err != nil {
			b.Fatal(err)
		}
		w := in.nearWindow()
		k, err := j.Near.StoredKernel(b.Context(), w, in)
		if err != nil {
			b.Fatal(err)
		}
		t := j.transform(j.images[0])
		s := j.Near.Space
		lowType, _ := s.LowRank(0x1ff00ff & uint64(s.Low.Size()-1))
		runs := len((&ComplementReader{j: j}).runsOf(&Lookup{transform: t}, lowType).list)
		name := fmt.Sprintf("%s-%s/fields=%v/mixes=%v/runs=%dof%d", board.HoleName(int(class[0].Start)),
			board.HoleName(int(class[0].Goal)), t.Fields, t.mixes, runs, len(s.LowPatterns(lowType)))
		b.Run(name, func(b *testing.B) {
			if _, err := j.Dot(b.Context(), k, in); err != nil { // fills the cache
				b.Fatal(err)
			}
			b.ResetTimer()
			for range b.N {
				if _, err := j.Dot(b.Context(), k, in); err != nil {
					b.Fatal(err)
				}
			}
			joined := float64(b.N) * float64(w.Addresses) * float64(len(j.images))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/joined, "ns/address")
		})
	}
}
