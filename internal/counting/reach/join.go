package reach

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Sums of the join's windows; see sumSymmetries.
const (
	sumWinnable           = "winnable_positions"
	sumWinnableSymmetries = "winnable_symmetries"
)

// A join counts the positions from which the goal can be reached, among those that can be reached from the start.
//
// Playing backwards is playing forwards on the complement (peg.Board.Complement): the goal can be reached from a
// position when the complement of the position can be reached from the complement of the goal. Near is the enumeration
// from the start, far the one from the complement of the goal, which for a game such as centre to centre are the same.
// Complementing the patterns of a list reverses their order, so the complement of a row's bits is the reversed word of
// the complement row.
type join struct {
	near, far *enumeration
	jumps     int // from start to goal
	layer     int // of the join's cells
	// symmetries are the elements of near's group that fix the goals as well; moving those of them that keep the word
	// class.
	symmetries, moving []int
}

func newJoin(near, far *enumeration, jumps int, keeps func(peg.Perm) bool) *join {
	j := &join{near: near, far: far, jumps: jumps}
	for g, p := range near.group {
		if keeps(p) {
			j.symmetries = append(j.symmetries, g)
			if slices.Contains(near.keep, g) {
				j.moving = append(j.moving, g)
			}
		}
	}
	j.layer = max(len(near.layers), min(len(far.layers), j.jumps+1))
	return j
}

// key names the join of a cell of near's layer n.
func (j *join) key(n int, b *bundle) string { return fmt.Sprintf("win%d-%s", n, b.vectors[0].Key()) }

// joined is the cell of near that a cell of the join belongs to, and its layer.
func (j *join) joined(c puzzle.Cell) (n int, b *bundle, err error) {
	var v partition.Vector
	rest, ok := strings.CutPrefix(c.Key, "win")
	if ok {
		_, err = fmt.Sscanf(rest, "%d-", &n)
		_, rest, _ = strings.Cut(rest, "-")
	}
	if err == nil {
		v, err = partition.ParseKey(rest)
	}
	if ok && err == nil && c.Layer == j.layer && n >= 0 && n < len(j.near.layers) {
		if at := j.near.bound(n).spots[v]; at != nil && at.index == 0 && j.key(n, at.bundle) == c.Key {
			return n, at.bundle, nil
		}
	}
	return n, nil, fmt.Errorf("cell %d/%s: no such cell in this run", c.Layer, c.Key)
}

// complement returns the vector of the complements of v's positions; ok is false where far has no cell for it in the
// layer that completes n jumps.
func (j *join) complement(n int, v partition.Vector) (u partition.Vector, ok bool) {
	u = j.near.complement(v)
	rep, _ := j.far.canonical(u)
	layer, ok := j.far.cells[rep]
	return u, ok && layer == j.jumps-n
}

// A joinedVector stands for so many vectors that are images of each other under the symmetries of the problem.
type joinedVector struct {
	v     partition.Vector
	times uint64
}

// vectors lists the vectors that the cell of v stands for, up to the symmetries of the problem.
func (j *join) vectors(v partition.Vector) (list []joinedVector) {
	var seen []partition.Vector
	for _, u := range j.near.orbit(v) {
		if slices.Contains(seen, u) {
			continue
		}
		before := len(seen)
		for _, g := range j.moving {
			if w := j.near.image(g, u); !slices.Contains(seen, w) {
				seen = append(seen, w)
			}
		}
		list = append(list, joinedVector{u, uint64(len(seen) - before)})
	}
	return list
}

// plan plans the join: a cell for each cell of near that has complements in far.
func (j *join) plan() []puzzle.CellPlan {
	var cells []puzzle.CellPlan
	for n := range min(len(j.near.layers), j.jumps+1) {
		for _, b := range j.near.bound(n).list {
			p := puzzle.CellPlan{Cell: puzzle.Cell{Layer: j.layer, Key: j.key(n, b)}, Addresses: 1, Cuts: []uint64{0}}
			p.Parents = []puzzle.Cell{b.cell}
			some := false
			for _, v := range b.vectors {
				some = j.planVector(n, v, &p) || some
			}
			if some {
				cells = append(cells, p)
			}
		}
	}
	return cells
}

// planVector adds the join of a vector of near's layer n to that of its cell. It reports whether there is one.
func (j *join) planVector(n int, v partition.Vector, p *puzzle.CellPlan) (some bool) {
	for _, joined := range j.vectors(v) {
		u, ok := j.complement(n, joined.v)
		if !ok {
			continue
		}
		some = true
		rep, _ := j.far.canonical(u)
		if c := j.far.spotOf(rep).cell; !slices.Contains(p.Parents, c) {
			p.Parents = append(p.Parents, c)
		}
		p.Work += float64(j.near.shape(v).words)
		near, nearShared := j.near.rowsMemory(joined.v, 1)
		far, farShared := j.far.rowsMemory(u, 1)
		p.MemoryBytes = max(p.MemoryBytes, near+far)
		p.SharedBytes = max(p.SharedBytes, nearShared+farShared)
	}
	return some
}

// compute computes one cell of the join.
func (j *join) compute(ctx context.Context, c puzzle.Cell, in puzzle.Source) (sum puzzle.Tally, err error) {
	n, b, err := j.joined(c)
	if err != nil {
		return sum, err
	}
	for _, v := range b.vectors {
		for _, joined := range j.vectors(v) {
			if u, ok := j.complement(n, joined.v); ok {
				if err := j.add(ctx, in, joined, u, &sum); err != nil {
					return sum, err
				}
			}
		}
	}
	return sum, nil
}

// add adds the positions of a vector of near whose complements are in vector u of far.
func (j *join) add(
	ctx context.Context, in puzzle.Source, joined joinedVector, u partition.Vector, sum *puzzle.Tally,
) error {
	near, err := j.near.rows(ctx, in, joined.v, true)
	if near == nil || err != nil {
		return err
	}
	defer near.release(j.near.scheme)
	m, err := j.newMeeting(ctx, in, near, u)
	if m == nil || err != nil {
		return err
	}
	defer m.release()
	positions, symmetries, err := j.count(ctx, near, m, joined.v)
	if err != nil {
		return err
	}
	if err := sum.AddSum(sumWinnable, uint128.Mul(positions, joined.times)); err != nil {
		return err
	}
	return sum.AddSum(sumWinnableSymmetries, uint128.Mul(symmetries, joined.times))
}

// count counts the positions of near whose complements are in far, and adds up their symmetries.
func (j *join) count(
	ctx context.Context, near *rows, m meeting, v partition.Vector,
) (positions, symmetries uint64, err error) {
	s := j.near.scheme
	t := tally{scheme: s, shape: near.shape}
	var fixing, fold []int
	for _, g := range j.symmetries {
		if s.image(g, v) == v {
			fixing = append(fixing, g)
			if s.toRole[g][word] == word && s.toRole[g][stretch] == stretch {
				fold = append(fold, g)
			}
		}
	}
	t.fixed = s.fixings(&near.shape, fixing)
	image := s.newStretchImage(&near.shape)
	both := make([]uint64, near.stretchWords)
	heads := s.headsUnder(fold, &near.shape)
	for l := range len(heads.starts) - 1 {
		list := heads.list[heads.starts[l]:heads.starts[l+1]]
		if len(list) == 0 {
			continue
		}
		if err := puzzle.Progress(ctx); err != nil {
			return 0, 0, err
		}
		near.next()
		from, first, err := near.slabOf(ctx, uint32(l))
		if err != nil {
			return 0, 0, err
		}
		if err := m.open(ctx, uint32(l)); err != nil {
			return 0, 0, err
		}
		for _, hd := range list {
			at := from.at[first+int(hd.mid)]
			if at == noRows {
				continue
			}
			x := [roles]uint32{
				prefix: s.class[prefix].byWeight[near.weight[prefix]][l],
				mid:    s.class[mid].byWeight[near.weight[mid]][hd.mid],
			}
			value := s.base ^ s.class[prefix].inv[x[prefix]] ^ s.class[mid].inv[x[mid]]
			n := m.meet(both, image.of(from.words, at, value), x, value)
			if n == 0 {
				continue
			}
			positions += uint64(hd.orbit) * uint64(n)
			for i := range t.fixed {
				n += t.countFixed(t.fixed[i], x, both)
			}
			symmetries += uint64(hd.orbit) * uint64(n)
		}
	}
	return positions, symmetries, nil
}
