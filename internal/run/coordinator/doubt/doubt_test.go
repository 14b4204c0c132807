package doubt

import (
	"fmt"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
)

var (
	window = puzzle.Window{Cell: puzzle.Cell{Key: "a"}, Addresses: 10}
	right  = kv.Record{Window: window}
)

// wrong is another result than right.
func wrong() kv.Record {
	r := right
	r.Digest[0]++
	return r
}

// TestClaims: of each party one claim about a window is kept, and of all not more than some.
func TestClaims(t *testing.T) {
	d, id := New(5), window.ID()
	party := protocol.Named("x", "0123456789ab")
	for range 3 {
		d.Claim(id, Claim{Worker: party, Record: wrong()})
	}
	if n := len(d.claims[id]); n != 1 || !d.Disputed(id) {
		t.Errorf("%d claims of one party are kept", n)
	}
	for n := range 2 * maxClaims {
		d.Claim(id, Claim{Worker: fmt.Sprint("w", n), Record: wrong()})
	}
	if n := len(d.claims[id]); n != maxClaims {
		t.Errorf("%d claims are kept, want %d", n, maxClaims)
	}
	if d.Settle(id); d.Disputed(id) {
		t.Error("a settled window is in dispute")
	}
	if d.Question(id); !d.Disputed(id) || d.Claimed(id) {
		t.Error("the coordinator does not decide about a window in question")
	}
	if d.Unquestion(id); d.Disputed(id) {
		t.Error("the question was taken back")
	}
}

// TestContradiction: the flows of two cells contradict each other for certain when the coordinator has computed all
// windows of both. Until then their windows are in dispute, but those that it has computed.
func TestContradiction(t *testing.T) {
	p, err := plan.New(plantest.Grid(2))
	if err != nil {
		t.Fatal(err)
	}
	cell := func(layer int, key string) puzzle.Cell { return puzzle.Cell{Layer: layer, Key: key} }
	computed := func(c puzzle.Cell) { p.NoteReporters(&p.Index[c].Parts[0], protocol.OwnWorker) }
	open := &plan.FlowError{Parent: cell(0, "a0"), Child: cell(1, "a1")}
	edge := &plan.FlowError{Parent: cell(0, "a0"), Child: cell(1, "a0")}
	d := New(5)
	for _, e := range []*plan.FlowError{open, edge} {
		if ids := d.Edge(p, e); len(ids) != 2 || !d.Disputed(ids[0]) || !d.Disputed(ids[1]) {
			t.Errorf("%v are in dispute", ids)
		}
	}
	computed(edge.Parent)
	if err := d.Contradiction(p); err != nil {
		t.Errorf("one end is computed: %v", err)
	}
	computed(edge.Child)
	if err := d.Contradiction(p); err != edge { //nolint:errorlint // this one
		t.Errorf("both ends are computed: %v", err)
	}
	if ids := d.Edge(p, edge); len(ids) > 0 {
		t.Errorf("%v are in dispute though the coordinator has computed them", ids)
	}
}

// TestJudge: a worker is guilty when it has reported another result than the coordinator has computed. The ledger is
// wrong when it has another. Two results of the coordinator itself are a fault of the machine.
func TestJudge(t *testing.T) {
	padded := right
	padded.Bytes++
	for _, c := range []struct {
		what   string
		claims []Claim
		entry  *kv.Entry
		guilty string
		wrong  bool
		fault  bool
	}{
		{"nothing is known", nil, nil, "[]", false, false},
		{"the ledger is right", nil, &kv.Entry{Record: right, By: []string{"a"}}, "[]", false, false},
		{"the ledger is wrong", nil, &kv.Entry{Record: wrong(), By: []string{"a", "b"}}, "[a b]", true, false},
		{"a wrong size", nil, &kv.Entry{Record: padded, By: []string{"a"}}, "[a]", true, false},
		{"a claim is wrong", []Claim{{Worker: "x", Record: wrong()}}, &kv.Entry{Record: right, By: []string{"a"}}, "[x]",
			false, false},
		{"a claim is right", []Claim{{Worker: "x", Record: right}}, &kv.Entry{Record: wrong(), By: []string{"a"}}, "[a]",
			true, false},
		{"a false failure", []Claim{{Worker: "x", Failure: "too large"}}, nil, "[x]", false, false},
		{"both are its own", nil, &kv.Entry{Record: wrong(), By: []string{"a", protocol.OwnWorker}}, "[]", false, true},
		{"its own claim", []Claim{{Worker: protocol.OwnWorker, Record: wrong()}}, nil, "[]", false, true},
		{"its own size", nil, &kv.Entry{Record: padded, By: []string{"a", protocol.OwnWorker}}, "[a]", true, false},
	} {
		d := New(5)
		for _, q := range c.claims {
			d.Claim(window.ID(), q)
		}
		v, err := d.Judge(window.ID(), c.entry, &right)
		var names []string
		for _, g := range v.Guilty {
			names = append(names, g.Worker)
		}
		if got := fmt.Sprint(names); got != c.guilty || v.Wrong != c.wrong || (err != nil) != c.fault {
			t.Errorf("%s: guilty %s, the ledger is wrong: %t, %v", c.what, got, v.Wrong, err)
		}
	}
}

// TestLargestOf: the largest number of a tally is that of its sums and flows.
func TestLargestOf(t *testing.T) {
	n := func(n uint64) uint128.Uint128 { return uint128.From(n) }
	flow := func(x uint64) []puzzle.Flow { return []puzzle.Flow{{Amount: n(3)}, {Amount: n(x)}, {Amount: n(2)}} }
	scalars := func(x uint64) []puzzle.Scalar { return []puzzle.Scalar{{Value: n(3)}, {Value: n(x)}, {Value: n(2)}} }
	for what, tally := range map[string]puzzle.Tally{
		"sum":  {Sums: scalars(9), In: flow(8), Out: flow(7), Maxima: scalars(99)},
		"in":   {Sums: scalars(8), In: flow(9), Out: flow(7)},
		"out":  {Sums: scalars(8), In: flow(7), Out: flow(9)},
		"only": {Out: flow(9)},
	} {
		if got := largestOf(&tally); got != n(9) {
			t.Errorf("%s: %v", what, got)
		}
	}
}
