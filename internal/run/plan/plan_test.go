package plan

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
)

const planRun = "0123456789ab"

// TestScheduleNeverStarvesNorRushes plays coordinator, worker and bad luck on random plans: windows are assigned only
// when all windows of their parents are held, lost windows are computed again, and the plan comes to its end.
func TestScheduleNeverStarvesNorRushes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := New(plantest.Random(t))
		if err != nil {
			t.Fatal(err)
		}
		keep := rapid.SampledFrom([]Retention{RetainAll, RetainLast, RetainSummary}).Draw(t, "keep")
		p.WantAll(keep)
		var inHand []protocol.TaskWindow
		bad := 0
		for steps := 0; !p.Finished(); steps++ {
			if steps > 10_000 {
				t.Fatalf("no end: %s", p.Stuck())
			}
			if len(inHand) == 0 || rapid.Bool().Draw(t, "hand out") {
				ws, _ := p.Next(
					p.AllPartitions(),
					rapid.Float64Range(0, 60).Draw(t, "target"),
					rapid.IntRange(1, 5).Draw(t, "limit"),
				)
				if len(ws) == 0 && len(inHand) == 0 {
					t.Fatalf("nothing is ready and nothing in hand: %s", p.Stuck())
				}
				inHand = append(inHand, ws...)
				continue
			}
			i := rapid.IntRange(0, len(inHand)-1).Draw(t, "finish")
			w := inHand[i]
			inHand = slices.Delete(inHand, i, i+1)
			c := p.Index[w.Cell]
			if !c.ParentsHeld() {
				// Something was lost while it was in hand; its worker says so, and it waits again.
				p.Requeue(c, w.Part)
				continue
			}
			if bad < 8 && rapid.IntRange(0, 9).Draw(t, "failure") == 0 {
				bad++
				p.Requeue(c, w.Part)
				continue
			}
			rec := kv.Record{Run: planRun, Window: w.Window, Tally: puzzle.Tally{
				Sums: []puzzle.Scalar{{Name: "one", Value: uint128.From(1)}},
			}}
			if _, err := p.Account(&rec); err != nil {
				t.Fatal(err)
			}
			if err := p.AddReplica(w.ID(), "w"); err != nil {
				t.Fatal(err)
			}
			if err := p.Extend(); err != nil {
				t.Fatal(err)
			}
			p.WantAll(keep) // of new layers; for the others it must change nothing that matters
			dropAll(t, p, keep)
			if bad < 8 && rapid.IntRange(0, 5).Draw(t, "loss") == 0 {
				bad++
				loseOne(t, p)
			}
			checkPlan(t, p)
		}
		for n, l := range p.PlannedLayers {
			if got, ok := p.Layer(n); !ok || got.Sum("one") != uint128.From(uint64(l.Windows)) {
				t.Fatalf("layer %d: %v, %t", n, got, ok)
			}
		}
	})
}

func dropAll(t *rapid.T, p *Plan, keep Retention) {
	for _, c := range p.Index {
		if c.Held == 0 || p.Retains(keep, c) {
			continue
		}
		for i := range c.Parts {
			if _, err := p.DropReplicas(puzzle.WindowID{Cell: c.Cell, Part: i}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// loseOne loses a held window.
func loseOne(t *rapid.T, p *Plan) {
	var held []puzzle.WindowID
	for _, l := range p.PlannedLayers {
		for i := range l.Plans {
			c := p.Index[l.Plans[i].Cell]
			for part := range c.Parts {
				if c.Parts[part].Replicas != 0 {
					held = append(held, puzzle.WindowID{Cell: c.Cell, Part: part})
				}
			}
		}
	}
	if len(held) == 0 {
		return
	}
	id := rapid.SampledFrom(held).Draw(t, "lost")
	c, w, _ := p.Window(id)
	if news, gone := p.Lose(c, id.Part, &protocol.Failure{Loss: int(w.Losses)}, true); !news || !gone {
		t.Fatalf("losing %s is no news", id)
	}
	if news, _ := p.Lose(c, id.Part, &protocol.Failure{Loss: int(w.Losses) - 1}, true); news {
		t.Fatalf("losing %s again is news", id)
	}
}

// checkPlan compares the counters with the windows that they count.
func checkPlan(t *rapid.T, p *Plan) {
	pending, done := 0, 0
	for _, c := range p.Index {
		var p1, h1, d1, listed int
		for i := range c.Parts {
			w := &c.Parts[i]
			if w.State.toCompute() {
				p1++
			}
			if w.Replicas != 0 {
				h1++
			}
			if w.Committed {
				d1++
			}
			if w.listed {
				listed++
				if !slices.Contains(c.shareOf(i).todo, int32(i)) {
					t.Fatalf("window %d of %v is listed and not to do", i, c.Cell)
				}
			}
			if w.State == WindowQueued && !w.listed {
				t.Fatalf("window %d of %v is queued and not listed", i, c.Cell)
			}
			if (w.State == WindowHeld) != (w.Replicas != 0 && !w.State.toCompute()) {
				t.Fatalf("window %d of %v is %v, its holders are %v", i, c.Cell, w.State, p.ReplicaNames(w))
			}
			if !w.Committed && !w.State.toCompute() {
				t.Fatalf("window %d of %v is neither done nor pending", i, c.Cell)
			}
		}
		todo := 0
		for i := range c.shares {
			s := &c.shares[i]
			todo += len(s.todo)
			if len(s.todo) > 0 && c.ParentsHeld() && !s.queued {
				t.Fatalf("cell %v has something to do in partition %d and is not queued", c.Cell, s.partition)
			}
		}
		if p1 != c.Pending || h1 != c.Held || d1 != c.Done || listed != todo {
			t.Fatalf("cell %v: pending %d/%d, held %d/%d, done %d/%d, listed %d/%d",
				c.Cell, p1, c.Pending, h1, c.Held, d1, c.Done, listed, todo)
		}
		pending += p1
		done += d1
	}
	if pending != p.PendingCount || done != p.CommittedCount {
		t.Fatalf("pending %d/%d, done %d/%d", pending, p.PendingCount, done, p.CommittedCount)
	}
}

// TestNextHandsOutReadyWindows checks every window that next returns against the definition.
func TestNextHandsOutReadyWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := New(plantest.Random(t))
		if err != nil {
			t.Fatal(err)
		}
		p.WantAll(RetainAll)
		for range 5 {
			ws, _ := p.Next(p.AllPartitions(), 1e9, 3)
			for _, w := range ws {
				if !p.Index[w.Cell].ParentsHeld() {
					t.Fatalf("window %s was handed out before its parents", w)
				}
				if err := p.AddReplica(w.ID(), "w"); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func TestPlansThatContradictThemselves(t *testing.T) {
	good := func() puzzle.CellPlan {
		return puzzle.CellPlan{Cell: puzzle.Cell{Layer: 0, Key: "a"}, Addresses: 10, Cuts: []uint64{0, 5}}
	}
	for want, change := range map[string]func(*puzzle.CellPlan){
		"does not belong there": func(c *puzzle.CellPlan) { c.Layer = 1 },
		"another form":          func(c *puzzle.CellPlan) { c.Key = "A b" },
		"cuts do not divide":    func(c *puzzle.CellPlan) { c.Addresses = 0 },
		"its 10 slots":          func(c *puzzle.CellPlan) { c.Cuts = nil },
		"do not divide its 10":  func(c *puzzle.CellPlan) { c.Cuts[0] = 1 },
		"divide its 10 slots":   func(c *puzzle.CellPlan) { c.Cuts[1] = 10 },
		"at 5 follows 5":        func(c *puzzle.CellPlan) { c.Cuts = []uint64{0, 5, 5} },
		"memory of its windows": func(c *puzzle.CellPlan) { c.MemoryBytes, c.WindowBytes = 9, []uint64{9} },
		"of its windows does":   func(c *puzzle.CellPlan) { c.MemoryBytes, c.WindowBytes = 9, []uint64{8, 8} },
		"is not planned before": func(c *puzzle.CellPlan) { c.Parents = []puzzle.Cell{{Layer: 0, Key: "b"}} },
	} {
		c := good()
		change(&c)
		_, err := New(&plantest.Paper{Layers: [][]puzzle.CellPlan{{c}}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := New(&plantest.Paper{Layers: [][]puzzle.CellPlan{{good(), good()}}}); err == nil {
		t.Error("a cell was planned twice")
	}
	child := good()
	child.Key, child.Parents = "b", []puzzle.Cell{{Key: "a"}, {Key: "a"}}
	if _, err := New(&plantest.Paper{Layers: [][]puzzle.CellPlan{{good(), child}}}); err == nil {
		t.Error("a parent was named twice")
	}
}

type indecisive struct{ plantest.Paper }

func (p *indecisive) Layer(int, puzzle.Results) ([]puzzle.CellPlan, error) {
	return nil, puzzle.ErrUndecided
}

func TestUndecidedForEver(t *testing.T) {
	if _, err := New(&indecisive{}); err == nil || !strings.Contains(err.Error(), "still undecided") {
		t.Fatalf("got %v", err)
	}
}

// patient plans all layers at once, as soon as the first one is committed.
type patient struct{ *plantest.Paper }

func (p patient) Layer(n int, known puzzle.Results) ([]puzzle.CellPlan, error) {
	if _, ok := known.Layer(0); n > 0 && !ok {
		return nil, puzzle.ErrUndecided
	}
	return p.Paper.Layer(n, known)
}

// TestDecidedAtOnce: layers are planned as soon as the puzzle can tell, also those behind one that it had to wait for.
func TestDecidedAtOnce(t *testing.T) {
	paper := plantest.Grid(3)
	p, err := New(patient{paper})
	if err != nil || len(p.PlannedLayers) != 1 || p.Decided {
		t.Fatalf("%d layers at first, %v", len(p.PlannedLayers), err)
	}
	if err := p.CommitRecord(&kv.Record{Run: planRun, Window: paper.Layers[0][0].Window(0)}); err != nil {
		t.Fatal(err)
	}
	if err := p.Extend(); err != nil || len(p.PlannedLayers) != 5 || !p.Decided {
		t.Errorf("%d layers when the first is committed, decided %t, %v", len(p.PlannedLayers), p.Decided, err)
	}
}

func TestHolderSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h ReplicaSets
		var s ReplicaSet
		model := make(map[string]bool)
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			name := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "name")
			if rapid.Bool().Draw(t, "add") {
				s, model[name] = h.with(s, name), true
			} else {
				s = h.without(s, name)
				delete(model, name)
			}
			want := make([]string, 0, 4)
			for name := range model {
				want = append(want, name)
			}
			slices.Sort(want)
			if got := h.Names(s); !slices.Equal(got, want) || (s == 0) != (len(want) == 0) || h.of(want) != s {
				t.Fatalf("got %v, want %v", got, want)
			}
		}
	})
}

// TestNextStops takes windows in plan order until their work is enough, or they are as many as allowed.
func TestNextStops(t *testing.T) {
	const each = stepsPerWindow + 1e4 // a window of a; b is as large, c takes 2*each
	for _, test := range []struct {
		target float64
		limit  int
		want   int
		work   float64
	}{
		{1, 9, 1, each}, {each, 9, 1, each}, {each + 1, 9, 2, 2 * each}, {1e9, 3, 3, 3 * each}, {1e9, 9, 4, 5 * each},
		{1e9, 0, 0, 0},
	} {
		p := diamond(t)
		hold(t, p, "x", cellA)
		p.WantAll(RetainAll)
		for i := range 2 { // to be audited, so that they are ready too
			if err := p.RequestAudit(p.Index[cellA], i); err != nil {
				t.Fatal(err)
			}
		}
		all := PartitionRange{0, 1}
		if p.AnyReady() == p.NothingReady() || p.ReadyWork != 5*each || p.ReadyIn(all) != 5*each || p.FirstWork(0) != each {
			t.Errorf("ready %t, %t, %g, %g, %g", p.AnyReady(), p.NothingReady(), p.ReadyWork, p.ReadyIn(all), p.FirstWork(0))
		}
		ws, work := p.Next(all, test.target, test.limit)
		if len(ws) != test.want || work != test.work || p.ReadyWork != 5*each-work || p.ReadyIn(all) != p.ReadyWork {
			t.Errorf("work %g, %d windows at most: %d with %g, %g left", test.target, test.limit, len(ws), work, p.ReadyWork)
		}
		for i, w := range ws {
			if want := i < 2; w.Audit != want || w.Fresh {
				t.Errorf("window %s: audit %t, fresh %t", w, w.Audit, w.Fresh)
			}
		}
		if rest := test.want < 4; p.AnyReady() != rest || p.NothingReady() == rest || (p.FirstWork(0) > 0) != rest {
			t.Errorf("%d windows taken: ready %t, %t, %g", test.want, p.AnyReady(), p.NothingReady(), p.FirstWork(0))
		}
		for i := len(ws) - 1; i >= 0; i-- {
			p.Requeue(p.Index[ws[i].Cell], ws[i].Part)
			p.Requeue(p.Index[ws[i].Cell], ws[i].Part)
		}
		if again, _ := p.Next(all, 1e9, 9); len(again) != 4 {
			t.Errorf("%d windows after all were put back", len(again))
		}
	}
	p := diamond(t)
	p.WantAll(RetainAll)
	hold(t, p, "x", cellA, cellB)
	p.Index[cellC].Pending = 0 // as if it were not asked for
	if got, want := p.Stuck(), "cell 2/d waits for cell 1/c, of which 0 of 1 windows are held"; got != want {
		t.Errorf("stuck: %s, want %s", got, want)
	}
}
