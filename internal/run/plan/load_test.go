package plan

import (
	"errors"
	"slices"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/plan/plantest"
)

// entries passes entries to a plan that is loaded.
func entries(list ...kv.Entry) func(func(kv.Entry) error) error {
	return func(take func(kv.Entry) error) error {
		for _, e := range list {
			if err := take(e); err != nil {
				return err
			}
		}
		return nil
	}
}

// TestLoad loads ledgers with one entry that does not fit.
func TestLoad(t *testing.T) {
	refused := errors.New("refused")
	a := record(diamond(t), cellA, 0)
	b := record(diamond(t), cellB, 0)
	whole := []kv.Entry{{Record: a, By: []string{"x", "y"}}, {Record: record(diamond(t), cellA, 1)}}
	flowing := func(amount uint64) []kv.Entry {
		parts := []kv.Entry{{Record: b}, {Record: record(diamond(t), cellC, 0)},
			{Record: record(diamond(t), cellD, 0)}, {Record: record(diamond(t), cellD, 1)}}
		parts[0].Record.Tally.Out = []puzzle.Flow{{Cell: cellD, Amount: uint128.From(amount)}}
		return append(slices.Clone(whole), parts...)
	}
	other, lie := a, a
	other.Addresses--
	lie.Rows = 1
	var flow *FlowError
	for _, test := range []struct {
		name    string
		entries []kv.Entry
		suspect bool
		held    error
		is      func(error) bool
		flows   int
	}{
		{"right", whole, false, nil, func(err error) bool { return err == nil }, 0},
		{"of another plan", []kv.Entry{{Record: other}}, false, nil, func(err error) bool {
			return errors.Is(err, ErrPlan)
		}, 0},
		{"a contradiction", []kv.Entry{{Record: lie}}, false, nil, func(err error) bool {
			return errors.Is(err, ErrContradiction)
		}, 0},
		{"a flow that is not conserved", flowing(3), false, nil, func(err error) bool { return errors.As(err, &flow) }, 0},
		{"the same, which is expected", flowing(3), true, nil, func(err error) bool { return err == nil }, 1},
		{"a conserved flow", flowing(0), false, nil, func(err error) bool { return err == nil }, 0},
		{"what is told of the holders fails", whole, false, refused, func(err error) bool {
			return errors.Is(err, refused)
		}, 0},
	} {
		p := diamond(t)
		p.Suspect = test.suspect
		told := 0
		err := p.Load(planRun, entries(test.entries...), func(kv.Entry) error { told++; return test.held })
		if !test.is(err) || len(p.FlowErrors) != test.flows || err == nil && told != len(test.entries) {
			t.Errorf("%s: %v, %d entries told, flows %v", test.name, err, told, p.FlowErrors)
		}
		if _, w, _ := p.Window(a.ID()); err == nil && !slices.Equal(p.ReporterNames(w), []string{"x", "y"}) {
			t.Errorf("%s: its reporters are %v", test.name, p.ReporterNames(w))
		}
	}
}

// TestLoadLater loads windows of layers that depend on results, in their order and before these results: they wait for
// their layers, and are checked then.
func TestLoadLater(t *testing.T) {
	for _, wrong := range []bool{false, true} {
		paper := plantest.Grid(2)
		paper.Undecided = 1
		var all []kv.Entry
		for _, layer := range paper.Layers {
			for i := range layer {
				all = append(all, kv.Entry{Record: kv.Record{Run: planRun, Window: layer[i].Window(0)}})
			}
		}
		if wrong {
			all[1].Record.Addresses--
		}
		p, err := New(paper)
		if err != nil {
			t.Fatal(err)
		}
		told := 0
		err = p.Load(planRun, entries(append(slices.Clone(all[1:]), all[0])...), func(kv.Entry) error { told++; return nil })
		switch {
		case wrong && !errors.Is(err, ErrPlan):
			t.Errorf("a late entry of another plan: %v", err)
		case !wrong && (err != nil || told != len(all) || !p.Decided || !p.Complete()):
			t.Errorf("%v, %d of %d entries told, decided %t, complete %t", err, told, len(all), p.Decided, p.Complete())
		}
	}
	paper := plantest.Grid(2)
	paper.Undecided = 1
	p, err := New(paper)
	if err != nil {
		t.Fatal(err)
	}
	first := kv.Entry{Record: kv.Record{Run: planRun, Window: paper.Layers[0][0].Window(0)}}
	if err := p.Load(planRun, entries(first), func(kv.Entry) error { return nil }); err != nil || p.Layers() != 2 {
		t.Errorf("after the last entry %d layers are planned, %v", p.Layers(), err)
	}
}
