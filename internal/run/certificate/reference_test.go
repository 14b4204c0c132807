package certificate_test

import (
	"fmt"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/certificate"
	"pagoda/internal/run/certificate/certificatetest"
)

const someRun = "0123456789ab"

// drawWindows draws all windows of a small run, in the order of the tree.
func drawWindows(t *rapid.T) (list []certificate.Window) {
	layers := rapid.SliceOfNDistinct(rapid.IntRange(0, 40), 0, 5, rapid.ID[int]).Draw(t, "layers")
	sort.Ints(layers)
	for _, n := range layers {
		key := rapid.StringMatching(`[a-z0-9][a-z0-9._-]{0,3}`)
		keys := rapid.SliceOfNDistinct(key, 1, 6, rapid.ID[string]).Draw(t, "keys")
		sort.Strings(keys)
		for _, key := range keys {
			first := uint64(0)
			for part := range rapid.IntRange(1, 5).Draw(t, "windows") {
				w := certificate.Window{Rows: rapid.Uint64().Draw(t, "rows"), Blocks: rapid.Uint64().Draw(t, "blocks")}
				w.Window = puzzle.Window{Cell: puzzle.Cell{Layer: n, Key: key}, Part: part, First: first}
				w.Addresses = rapid.Uint64Range(1, 1<<40).Draw(t, "addresses")
				first += w.Addresses
				copy(w.Digest[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "digest"))
				for i := range rapid.IntRange(0, 3).Draw(t, "scalars") {
					v := uint128.Uint128{Lo: rapid.Uint64().Draw(t, "lo"), Hi: rapid.Uint64().Draw(t, "hi")}
					name := fmt.Sprintf("n%d", i)
					w.Tally.Sums = append(w.Tally.Sums, puzzle.Scalar{Name: name, Value: v})
					w.Tally.Maxima = append(w.Tally.Maxima, puzzle.Scalar{Name: name, Value: v})
					w.Tally.In = append(w.Tally.In, puzzle.Flow{Cell: puzzle.Cell{Layer: i, Key: name}, Amount: v})
					w.Tally.Out = append(w.Tally.Out, puzzle.Flow{Cell: puzzle.Cell{Layer: i, Key: name}, Amount: v})
				}
				list = append(list, w)
			}
		}
	}
	return list
}

func build(t interface{ Fatal(...any) }, run string, windows []certificate.Window) certificate.Tree {
	b := certificate.NewBuilder(run)
	for _, w := range windows {
		if err := b.Add(w); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestRootAgainstReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		windows := drawWindows(t)
		tree := build(t, someRun, windows)
		if want := certificatetest.Root(someRun, windows); tree.Root.String() != want {
			t.Fatalf("root %s of %d windows, the reference has %s", tree.Root, len(windows), want)
		}
		if tree.Windows != len(windows) {
			t.Fatalf("%d windows, want %d", tree.Windows, len(windows))
		}
		if other := build(t, "ba9876543210", windows); other.Root == tree.Root {
			t.Fatal("another run has the same root")
		}
	})
}

// window returns a window of one address, without rows.
func window(layer int, key string, part int) certificate.Window {
	return certificate.Window{Window: puzzle.Window{Cell: puzzle.Cell{Layer: layer, Key: key}, Part: part, Addresses: 1}}
}

// TestBuilderRefuses: a Builder refuses a window out of order, missing or doubled.
func TestBuilderRefuses(t *testing.T) {
	begin := []certificate.Window{window(1, "b", 0), window(1, "b", 1), window(3, "m", 0)}
	for name, w := range map[string]certificate.Window{
		"the same again": window(3, "m", 0), "a part left out": window(3, "m", 2), "a cell before": window(3, "a", 0),
		"a layer before": window(2, "x", 0), "a cell that begins in the middle": window(3, "n", 1),
		"no key": window(4, "", 0), "a key in capitals": window(4, "A", 0), "a negative layer": window(-1, "a", 0),
	} {
		b := certificate.NewBuilder(someRun)
		for _, good := range begin {
			if err := b.Add(good); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Add(w); err == nil {
			t.Errorf("%s: %s is taken", name, w.ID())
		}
	}
}
