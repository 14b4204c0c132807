package partition

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"pagoda/internal/peg"
)

// The lead is the top bits of the prefix. A space has one where its cells are cut into many windows: addresses are
// ordered by lead first, and windows end where a lead ends, so that a window is a sub-cube of its cell, or a few that
// follow each other: some holes are fixed. A jump that does not touch these holes comes from the same sub-cube of a
// parent, and each of the others from one other sub-cube. So a window reads a small part of its parents.
//
// The lead's holes are a union of hole orbits of the group. The smallest image of a prefix has the smallest image of
// its lead; so a sub-cube of one cell is mapped to sub-cubes of the next, whichever symmetry makes the prefix
// canonical.

const (
	// manyWindows is how many windows the largest cell has at least where there is a lead.
	manyWindows = 8
	// largeCell is how many addresses it has at least. On smaller boards the order of addresses, and with it what is
	// exported, does not depend on the size of windows.
	largeCell = 1 << 25
	// leadWindows is how many windows the largest sub-cube may have, about: a finer lead would make the tables larger and
	// the batches of a kernel smaller.
	leadWindows = 2
	// maxCutPrefixBits is maxPrefixBits where there is a lead, which may take holes that would be in the mid field.
	maxCutPrefixBits = 17
)

// NewCutSpace is NewSpace for cells that are cut into windows of at most so many addresses (0: not cut): where that
// makes many windows of a cell, addresses are ordered so that a window reads a small part of its parents. See
// Space.Lead.
func NewCutSpace(board *peg.Board, group []peg.Perm, start peg.Position, windowAddresses uint64) (*Space, error) {
	s, err := NewSpace(board, group, start)
	if err != nil || windowAddresses == 0 || s.censuses() == nil {
		return s, err
	}
	var largest uint64
	for _, layer := range s.Lattice() {
		for _, v := range layer {
			largest = max(largest, s.Addresses(v))
		}
	}
	if largest < largeCell || largest <= manyWindows*windowAddresses {
		return s, nil
	}
	holes := 0
	for largest/leadWindows*uint64(len(group))>>holes > windowAddresses {
		holes++
	}
	return s.lead(holes)
}

// NewLedSpace is NewSpace with a lead of at least so many holes, or as many as can be.
func NewLedSpace(board *peg.Board, group []peg.Perm, start peg.Position, holes int) (*Space, error) {
	s, err := NewSpace(board, group, start)
	if err != nil || s.censuses() == nil {
		return s, err
	}
	return s.lead(holes)
}

// lead makes the space again with a lead of at least so many holes, if it can have one.
func (s *Space) lead(holes int) (*Space, error) {
	var orbits []peg.Position
	prefix := s.holesOf(s.Prefix)
	for _, orbit := range s.leadOrbits() {
		if holes <= 0 {
			break
		}
		if bits.OnesCount64(uint64(prefix|orbit)) > maxCutPrefixBits {
			continue
		}
		prefix |= orbit
		orbits = append(orbits, orbit)
		holes -= bits.OnesCount64(uint64(orbit))
	}
	if len(orbits) == 0 {
		return s, nil
	}
	return buildSpace(s.Board, s.Group, s.Start, s.Board.Invariants(), orbits)
}

// holesOf is the holes of a field.
func (s *Space) holesOf(f Field) (holes peg.Position) {
	for bit := range f.Bits {
		holes |= 1 << s.holeOf[f.Shift+bit]
	}
	return holes
}

// leadOrbits lists the orbits of holes that can be in a lead, those first that the fewest jumps touch.
func (s *Space) leadOrbits() []peg.Position {
	low := s.holesOf(s.Low)
	orbits := slices.DeleteFunc(invariantSets(s.Board, s.Group, false), func(o peg.Position) bool { return o&low != 0 })
	touching := func(o peg.Position) (n int) { // jumps by hole, times the number of holes
		for _, j := range s.Board.Jumps {
			n += bits.OnesCount64(uint64(o) & (1<<j.From | 1<<j.Over | 1<<j.To))
		}
		return n
	}
	slices.SortStableFunc(orbits, func(a, b peg.Position) int {
		return touching(a)*bits.OnesCount64(uint64(b)) - touching(b)*bits.OnesCount64(uint64(a))
	})
	return orbits
}

// LeadHoles names the holes of the lead, such as "r0c4-r4c0", those that decide the order of addresses first; it is
// empty where there is none.
func (s *Space) LeadHoles() string {
	var names []string
	for bit := s.Lead.Bits - 1; bit >= 0; bit-- {
		h := s.Board.Holes[s.holeOf[s.Prefix.Shift+s.Lead.Shift+bit]]
		names = append(names, fmt.Sprintf("r%dc%d", h.Row, h.Col))
	}
	return strings.Join(names, "-")
}

// A lead is the groups of a prefixTable whose patterns have the same lead.
type lead struct {
	pattern       uint32
	first, groups int
}

// addLead notes that the last group of the table belongs to the lead of a pattern.
func (t *prefixTable) addLead(pattern uint32) {
	if n := len(t.leads); n == 0 || t.leads[n-1].pattern != pattern {
		t.leads = append(t.leads, lead{pattern: pattern, first: len(t.groups) - 1})
	}
	t.leads[len(t.leads)-1].groups++
}

// leadBytes bounds the lists of leads that are kept, and those of cuts. A plan asks for those of a cell again with each
// of its children.
const leadBytes = 8 << 20

// Leads lists for the cell of v, which must be canonical, the first address of every lead, and after them the number of
// addresses; not to be modified. Several leads may begin at the same address: all but the last of those are empty. The
// space has a lead.
func (s *Space) Leads(v Vector) []uint64 {
	_, coset := s.Canonical(v)
	table := s.prefixTable(coset)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leads.of(v, leadBytes, func() []uint64 { return s.newLeads(v, table) }, listBytes)
}

func listBytes(list []uint64) int { return 8 * len(list) }

func (s *Space) newLeads(v Vector, table *prefixTable) []uint64 {
	whole := need{v.pack(), s.startInv}
	rests := make([]uint64, len(table.merged)) // addresses of one pattern
	for i := range rests {
		if rest, ok := whole.less(table.merged[i].contrib); ok {
			rests[i] = s.censuses()[0].of(rest)
		}
	}
	starts := make([]uint64, 1, len(table.leads)+1)
	var at uint64
	for _, y := range table.leads {
		for _, g := range table.shares[y.first:][:y.groups] {
			at += uint64(g.patterns) * rests[g.merged]
		}
		starts = append(starts, at)
	}
	return starts
}

type leadKey struct {
	removed               int
	coset, child, parents uint64
}

// LeadReads lists, for every lead of the cell of a canonical vector, the parent's leads to which undoing the jumps of
// an edge takes its positions. They are places in Leads, ascending; not to be modified.
func (s *Space) LeadReads(v Vector, e Edge) [][]int32 {
	_, fixing := s.Canonical(v)
	_, parentFixing := s.Canonical(e.End)
	child, parent := s.prefixTable(fixing), s.prefixTable(parentFixing)
	key := leadKey{e.Removed, e.Coset, fixing, parentFixing}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.leadReads[key]; t != nil {
		return t
	}
	place := make(map[uint32]int32, len(parent.leads))
	for i, y := range parent.leads {
		place[y.pattern] = int32(i)
	}
	type part struct{ mask, reverse uint32 }
	parts := map[part]bool{}
	of := func(hole uint16) uint32 { return uint32(s.Lead.Of(s.Prefix.Of(1 << s.Bit(hole)))) }
	for _, j := range s.Board.Jumps {
		if int(s.Board.Class[j.Over]) == e.Removed {
			parts[part{of(j.From) | of(j.Over) | of(j.To), of(j.To)}] = true
		}
	}
	t := make([][]int32, len(child.leads))
	for i, y := range child.leads {
		for p := range parts {
			if y.pattern&p.mask == p.reverse {
				t[i] = append(t[i], place[s.smallestLead(e.Coset, y.pattern^p.mask)])
			}
		}
		slices.Sort(t[i])
		t[i] = slices.Compact(t[i])
	}
	if s.leadReads == nil {
		s.leadReads = map[leadKey][][]int32{}
	}
	s.leadReads[key] = t
	return t
}

// smallestLead is the smallest image of a lead pattern under the elements of a coset.
func (s *Space) smallestLead(coset uint64, pattern uint32) uint32 {
	smallest := ^uint32(0)
	for c := coset; c != 0; c &= c - 1 {
		image := s.prefixPerm[bits.TrailingZeros64(c)][pattern<<s.Lead.Shift]
		smallest = min(smallest, image>>s.Lead.Shift)
	}
	return smallest
}

// leadCuts is Cuts where there is a lead: windows end where leads do, and those leads alone that are longer than a
// window are divided, at stretch boundaries.
func (s *Space) leadCuts(v Vector, limit uint64) []uint64 {
	s.cutting.Lock()
	defer s.cutting.Unlock()
	return s.cuts.of(cutsKey{v, limit}, leadBytes, func() []uint64 { return s.newLeadCuts(v, limit) }, listBytes)
}

type cutsKey struct {
	vector Vector
	limit  uint64
}

func (s *Space) newLeadCuts(v Vector, limit uint64) []uint64 {
	cuts, starts := []uint64{0}, s.Leads(v)
	addresses := starts[len(starts)-1]
	var stretchAt func(uint64) (first, end uint64)
	for i, first := range starts[:len(starts)-1] {
		end := starts[i+1]
		last := cuts[len(cuts)-1]
		if first == end || end-last <= limit {
			continue
		}
		if first > last {
			cuts, last = append(cuts, first), first
		}
		for end-last > limit {
			if stretchAt == nil {
				stretchAt = s.stretchFinder(v)
			}
			at, after := stretchAt(last + limit)
			if at == last { // a stretch longer than the limit
				at = after
			}
			if at >= end {
				break
			}
			cuts, last = append(cuts, at), at
		}
		if end < addresses && last > first {
			cuts = append(cuts, end)
		}
	}
	return slices.Clip(cuts)
}
