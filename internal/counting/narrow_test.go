package counting

import (
	"errors"
	"math"
	"slices"
	"sort"
	"testing"

	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// TestManyAddresses: a batch of 2^32 addresses is refused, because jobs name addresses in 32 bits.
func TestManyAddresses(t *testing.T) {
	g := english(t, "center")
	v := g.Layers[1][0]
	w := puzzle.Window{Cell: puzzle.Cell{Layer: 1, Key: g.Key(v)}, Addresses: g.Space.Addresses(v)}
	k, err := g.KernelOf(t.Context(), w, claims{most: uint128.From(1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	k.Counts, k.scratch = &Dense{Addresses: 1 << 33}, new(scratch)
	prefix := k.layout.Prefixes()[0]
	prefix.Addresses = 1 << 31
	if err := k.pullBatch(t.Context(), []partition.Prefix{prefix, prefix}, k.edges); !errors.Is(err, errManyAddresses) {
		t.Errorf("2^32 addresses at a time give %v", err)
	}
}

// claims is a source whose parents have counts of up to most, and nothing to read.
type claims struct {
	puzzle.Source
	most uint128.Uint128
}

func (s claims) Tally(puzzle.Cell) (t puzzle.Tally, err error) { return t, t.AddMax(MaxPaths, s.most) }

func (s claims) Windows(puzzle.Cell) ([]puzzle.Window, error) { return nil, nil }

// TestNarrowSums hands the largest counts that the narrow kernel can meet to its sums, in every address of some
// prefixes. Real runs never fill a window so, but a sum that is carried too late would lose a part without a sound.
func TestNarrowSums(t *testing.T) {
	g := english(t, "r0c2")
	carried := 0
	for _, v := range g.Layers[15] {
		w := puzzle.Window{Cell: puzzle.Cell{Layer: 15, Key: g.Key(v)}, Addresses: g.Space.Addresses(v)}
		kernel := func(most uint64) *Kernel {
			k, err := g.KernelOf(t.Context(), w, claims{most: uint128.From(most)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			return k
		}
		most := uint64(sort.Search(math.MaxInt64, func(n int) bool { return kernel(uint64(n+1)).width == bits128 }))
		narrow, wide := kernel(most), kernel(most)
		wide.flushAddresses = 0 // every stretch counts as one whose sums do not fit
		count := uint64(0)
		for i := range narrow.edges {
			count += most * uint64(g.table.most[narrow.edges[i].Removed])
		}
		prefixes := narrow.layout.Prefixes()
		prefixes = prefixes[:min(3, len(prefixes))]
		for i := range prefixes {
			for _, k := range []*sums{{narrow}, {wide}} {
				k.add(&prefixes[i], count)
			}
			if total := uint128.Mul(count, prefixes[i].Addresses); total.Hi > 0 {
				carried++
			}
		}
		a, b := &narrow.tally, &wide.tally
		a.closeWeight()
		b.closeWeight()
		if a.overflow || b.overflow {
			t.Fatalf("window %s, all counts %d: overflow", w, count)
		}
		if a.allPaths != b.allPaths || a.allEnded != b.allEnded || a.allOut != b.allOut || a.largest != b.largest ||
			a.positions != b.positions || a.deadPositions != b.deadPositions || a.classes != b.classes {
			t.Fatalf("window %s, all counts %d: the narrow sums differ: %v paths, want %v", w, count, a.allPaths, b.allPaths)
		}
	}
	if carried == 0 {
		t.Error("no sum over a prefix passed 64 bits: the test does not reach what it is for")
	}
}

// sums is a kernel used for its tally only.
type sums struct{ *Kernel }

// add tallies a prefix all of whose addresses hold count.
func (k sums) add(prefix *partition.Prefix, count uint64) {
	k.tally.beginPrefix(prefix)
	for _, r := range k.layout.Stretches(k.layout.Node(prefix)) {
		k.tally.stretch(&r, &Counts{lo: slices.Repeat([]uint64{count}, r.Size)})
	}
}

// english returns an enumeration of the English board from a vacancy.
func english(t *testing.T, vacancy string) *Enumeration {
	t.Helper()
	b, err := peg.Named("english")
	if err != nil {
		t.Fatal(err)
	}
	start, err := peg.ParseStart(b, vacancy)
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(b, start, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	return e
}
