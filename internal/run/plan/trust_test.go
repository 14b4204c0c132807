package plan

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/trust"
)

// TestSoleWord compares the windows that rest on some workers alone, and the counts of those that several workers have
// computed, with notes about each window: every window of every cell and layer counts.
func TestSoleWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		paper := plantest.Random(t)
		paper.Undecided = 0
		p, err := New(paper)
		if err != nil {
			t.Fatal(err)
		}
		from := rapid.IntRange(0, len(paper.Layers)).Draw(t, "from")
		const key = "~aaaaaaaaaaaa"
		workers := []string{"a", "x", "y", "z", "a" + key, "b" + key, protocol.OwnWorker}
		lying := []string{"x", "y", protocol.Party("any" + key)}
		var want []puzzle.WindowID
		words, parties := trust.Words{}, make(map[string]bool)
		refused := []kv.Refusal{{Worker: "y"}, {Worker: "c" + key}}
		for n, layer := range paper.Layers {
			for i := range layer {
				for part := range layer[i].Cuts {
					rec := kv.Record{Run: planRun, Window: layer[i].Window(part)}
					committed := rapid.Bool().Draw(t, "committed")
					if committed {
						if err := p.CommitRecord(&rec); err != nil {
							t.Fatal(err)
						}
					}
					_, w, err := p.Window(rec.ID())
					if err != nil {
						t.Fatal(err)
					}
					by := rapid.SliceOfNDistinct(rapid.SampledFrom(workers), 0, 3, rapid.ID).Draw(t, "by")
					p.NoteReporters(w, by...)
					honest := slices.ContainsFunc(by, func(name string) bool { return !slices.Contains(lying, protocol.Party(name)) })
					if committed && !honest && n >= from {
						want = append(want, rec.ID())
					}
					if !committed {
						continue
					}
					of := make(map[string]bool) // of the parties a, x, z and the coordinator's
					for _, name := range by {
						if name != "y" && !strings.HasSuffix(name, key) {
							of[name] = true
						}
					}
					maps.Copy(parties, of)
					switch _, own := of[protocol.OwnWorker]; {
					case own:
						words.Own++
					case len(of) > 1:
						words.Several++
					case len(of) == 1:
						words.One++
					default:
						words.Unknown++
					}
				}
			}
		}
		if got := p.SoleWord(lying, from); !slices.Equal(got, want) {
			t.Fatalf("from layer %d %v rest on %v alone, want %v", from, got, lying, want)
		}
		delete(parties, protocol.OwnWorker)
		words.Parties = len(parties)
		if got := p.Words(refused); got != words {
			t.Fatalf("words are %+v, want %+v", got, words)
		}
	})
}

// TestDescendants lists the windows that follow from one of a lattice: the cells that can be reached from its own, as
// far as all their parents are committed; of layers that were planned from results, everything.
func TestDescendants(t *testing.T) {
	all := func(cells ...puzzle.Cell) (ids []puzzle.WindowID) {
		for _, c := range cells {
			ids = append(ids, puzzle.WindowID{Cell: c})
		}
		return ids
	}
	cell := func(n int, key string) puzzle.Cell { return puzzle.Cell{Layer: n, Key: key} }
	of := all(cell(1, "a1"))
	for _, test := range []struct {
		name      string
		undecided int // layers from here on depend on results
		committed int // layers
		want      []puzzle.WindowID
	}{
		{"all is committed", 0, 5, all(cell(2, "a1"), cell(2, "a2"), cell(3, "a1"), cell(3, "a2"), cell(4, "a2"))},
		{"children are under way", 0, 2, all(cell(2, "a1"), cell(2, "a2"))},
		{"the layer after the next was planned from results", 3, 3, all(cell(2, "a1"), cell(2, "a2"), cell(3, "a1"),
			cell(3, "a2"))},
		{"its own layer was, and the next", 1, 2, all(cell(2, "a0"), cell(2, "a1"), cell(2, "a2"))},
	} {
		t.Run(test.name, func(t *testing.T) {
			paper := plantest.Grid(3)
			paper.Undecided = test.undecided
			p, err := New(paper)
			if err != nil {
				t.Fatal(err)
			}
			for _, layer := range paper.Layers[:test.committed] {
				for i := range layer {
					if err := p.CommitRecord(&kv.Record{Run: planRun, Window: layer[i].Window(0)}); err != nil {
						t.Fatal(err)
					}
				}
				if err := p.Extend(); err != nil {
					t.Fatal(err)
				}
			}
			if got := p.Descendants(of); !slices.Equal(got, test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

// TestDescendantsNotPlanned: windows in the ledger whose layers cannot be planned any more, because a result before
// them is missing, may follow from any window.
func TestDescendantsNotPlanned(t *testing.T) {
	paper := plantest.Grid(3)
	paper.Undecided = 2
	p, err := New(paper)
	if err != nil {
		t.Fatal(err)
	}
	late := kv.Entry{Record: kv.Record{Run: planRun, Window: paper.Layers[3][0].Window(0)}}
	if err := p.Load(planRun, entries(late), func(kv.Entry) error { return nil }); err != nil {
		t.Fatal(err)
	}
	of := puzzle.WindowID{Cell: paper.Layers[0][0].Cell}
	if got := p.Descendants([]puzzle.WindowID{of}); !slices.Contains(got, late.Record.ID()) {
		t.Errorf("%v, without what the ledger has of layer 3", got)
	}
}

// TestAwaitAbsent: of the windows that are committed and that no worker holds, those are awaited whose rows are needed.
func TestAwaitAbsent(t *testing.T) {
	paper := plantest.Grid(3)
	p, err := New(paper)
	if err != nil {
		t.Fatal(err)
	}
	for _, layer := range paper.Layers[:3] {
		for i := range layer {
			if err := p.CommitRecord(&kv.Record{Run: planRun, Window: layer[i].Window(0)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	held := puzzle.WindowID{Cell: puzzle.Cell{Layer: 2, Key: "a1"}}
	if err := p.AddReplica(held, "a"); err != nil {
		t.Fatal(err)
	}
	// Layer 3 is still to be computed, from layer 2; nothing reads the layers before.
	if n := p.AwaitAbsent(RetainSummary); n != 2 || p.AwaitedCount != 2 {
		t.Errorf("%d windows are awaited, %d counted", n, p.AwaitedCount)
	}
	for _, l := range paper.Layers {
		for i := range l {
			c := p.Index[l[i].Cell]
			want := c.Layer == 2 && c.Cell != held.Cell
			if awaited := c.Parts[0].State == WindowAwaited; awaited != want {
				t.Errorf("window %s is %s", c.WindowID(0), c.Parts[0].State)
			}
		}
	}
	if n := p.AwaitAbsent(RetainSummary); n != 0 {
		t.Errorf("%d more windows are awaited", n)
	}
}
