package partition

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// drawLed draws a space of a small board with a lead, if one is to be had, and a limit of its windows.
func drawLed(t *rapid.T) (*Space, uint64) {
	var b *peg.Board
	var start peg.Position
	if rapid.Bool().Draw(t, "symmetric") {
		b = pegtest.SymmetricBoard(16).Draw(t, "symmetric board")
		start = pegtest.SymmetricStart(b).Draw(t, "symmetric start")
	} else {
		b = pegtest.Board(3, 13).Draw(t, "board")
		start = pegtest.Start(b).Draw(t, "start")
	}
	s, err := NewLedSpace(b, drawGroup(t, b, start), start, rapid.IntRange(1, 7).Draw(t, "holes"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("lead %s", s.LeadHoles())
	return logged(t, s), rapid.Uint64Range(1, 9).Draw(t, "limit")
}

// leadAt is the place in Leads that an address belongs to.
func leadAt(leads []uint64, address uint64) int {
	i, _ := slices.BinarySearch(leads, address+1)
	return i - 1
}

// TestLead: with a lead addresses are a bijection all the same, they are in the order of leads, and windows end with
// leads unless a lead is longer than a window.
func TestLead(t *testing.T) {
	led := 0
	pegtest.CheckUntil(t, func() bool { return led > 0 }, func(t *rapid.T) {
		s, limit := drawLed(t)
		checkBijection(t, s)
		if s.Lead.Bits == 0 {
			return
		}
		led++
		for _, layer := range s.Lattice() {
			for _, v := range layer {
				l, leads := s.Layout(v), s.Leads(v)
				if n := leads[len(leads)-1]; n != l.Addresses() || n != s.Addresses(v) {
					t.Fatalf("cell %s: leads end at %d, and there are %d addresses", v.Key(), n, l.Addresses())
				}
				last, at := uint64(0), -1
				for address := range l.Addresses() {
					y, i := s.Lead.Of(s.Prefix.Of(l.Ordered(address))), leadAt(leads, address)
					if y < last || i < at || (y == last) != (i == at) && address > 0 {
						t.Fatalf("cell %s: address %d has lead %b in place %d, the one before %b in %d",
							v.Key(), address, y, i, last, at)
					}
					last, at = y, i
				}
				checkLeadCuts(t, l, leads, limit)
			}
		}
	})
}

func checkLeadCuts(t fatal, l *Layout, leads []uint64, limit uint64) {
	t.Helper()
	cuts, starts := append(l.Space.Cuts(l.Vector, limit), l.Addresses()), stretchStarts(l)
	if cuts[0] != 0 {
		t.Fatalf("cell %s: the first window begins at %d", l.Vector.Key(), cuts[0])
	}
	for i, first := range cuts[:len(cuts)-1] {
		end := cuts[i+1]
		stretch, ok := slices.BinarySearch(starts, first)
		switch {
		case end <= first || !ok:
			t.Fatalf("cell %s: a window of %d..%d", l.Vector.Key(), first, end)
		case end-first > limit && starts[stretch+1] != end:
			t.Fatalf("cell %s: window %d..%d is longer than %d and than a stretch", l.Vector.Key(), first, end, limit)
		case leadAt(leads, first) == leadAt(leads, end-1):
		case leads[leadAt(leads, first)] != first || end != l.Addresses() && leads[leadAt(leads, end)] != end:
			t.Fatalf("cell %s: window %d..%d has parts of several leads", l.Vector.Key(), first, end)
		}
	}
}

// TestLeadReads undoes every jump of every address: LeadReads names the leads that this leads to.
func TestLeadReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, _ := drawLed(t)
		if s.Lead.Bits == 0 {
			return
		}
		for _, layer := range s.Lattice()[1:] {
			for _, v := range layer {
				l, leads := s.Layout(v), s.Leads(v)
				for _, e := range s.Edges(v) {
					parent, parentLeads, reads := s.Layout(e.End), s.Leads(e.End), s.LeadReads(v, e)
					for address := range l.Addresses() {
						p := s.Position(l.Ordered(address))
						for _, j := range s.Board.Jumps {
							undone := !p.Has(int(j.From)) && !p.Has(int(j.Over)) && p.Has(int(j.To))
							if int(s.Board.Class[j.Over]) != e.Removed || !undone {
								continue
							}
							before := p ^ (1<<j.From | 1<<j.Over | 1<<j.To)
							_, x, _ := s.Locate(before)
							at, ok := parent.Address(x)
							if !ok {
								t.Fatalf("position %s before %s has no address", peg.Hex(before), peg.Hex(p))
							}
							i, want := leadAt(leads, address), int32(leadAt(parentLeads, at))
							if !slices.Contains(reads[i], want) {
								t.Fatalf("cell %s, address %d in lead %d: undoing a jump leads to lead %d of cell %s, not in %v",
									v.Key(), address, i, want, e.End.Key(), reads[i])
							}
						}
					}
				}
			}
		}
	})
}

// TestLeadSparesParents says how much of its parents a window of the 41-hole diamond reads at most, in windows.
func TestLeadSparesParents(t *testing.T) {
	b, err := peg.Named("diamond")
	if err != nil {
		t.Fatal(err)
	}
	start, err := peg.ParseStart(b, "center")
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewCutSpace(b, peg.Stabiliser(b.Symmetries(), start), start, 1<<22)
	if err != nil {
		t.Fatal(err)
	}
	if want := "r8c4-r4c8-r4c0-r0c4-r6c6-r6c2-r2c6-r2c2"; s.LeadHoles() != want {
		t.Fatalf("lead %s, want %s", s.LeadHoles(), want)
	}
	v := Vector{7, 4, 4, 6}
	for _, e := range s.Edges(v) {
		for i, list := range s.LeadReads(v, e) {
			if len(list) > 9 {
				t.Errorf("removing class %d, lead %d reads %d leads", e.Removed, i, len(list))
			}
		}
	}
}
