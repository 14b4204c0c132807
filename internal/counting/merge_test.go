package counting

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"pagoda/internal/puzzle"
)

// TestMergedCells: the cells of a layer have all its vectors, in their order, and none could have taken the first
// vector of the next.
func TestMergedCells(t *testing.T) {
	g := english(t, "center")
	const most = 1 << 14
	g.Merge(most)
	merged := 0
	for n, vectors := range g.Layers {
		plans := g.Plan(n)
		for i, c := range g.cellsOf(n).list {
			if len(vectors) < len(c.vectors) || !reflect.DeepEqual(vectors[:len(c.vectors)], c.vectors) {
				t.Fatalf("layer %d: cell %s has the vectors %v, the next are %v", n, c.id.Key, c.vectors, vectors)
			}
			end := uint64(0)
			for j, v := range c.vectors {
				if c.bases[j]%64 != 0 || c.bases[j] < end || c.bases[j] >= end+64 || c.ends[j] != c.bases[j]+g.Space.Addresses(v) {
					t.Fatalf("layer %d: vector %v has addresses %d to %d, after %d", n, v, c.bases[j], c.ends[j], end)
				}
				end = c.ends[j]
			}
			if c.several() {
				merged++
				if end > most || plans[i].Windows() != 1 {
					t.Fatalf("cell %d/%s has %d addresses in %d windows", n, c.id.Key, end, plans[i].Windows())
				}
			}
			if plans[i].Cell != c.id || plans[i].Addresses != end {
				t.Fatalf("%v has %d addresses, and is planned as %v with %d", c.id, end, plans[i].Cell, plans[i].Addresses)
			}
			if want := 16 * (end + parentsHeld(g, n, c)); plans[i].MemoryBytes != want {
				t.Fatalf("cell %d/%s is planned with %d bytes, want %d", n, c.id.Key, plans[i].MemoryBytes, want)
			}
			vectors = vectors[len(c.vectors):]
			if len(vectors) > 0 && end+g.Space.Addresses(vectors[0]) <= most-64 {
				t.Fatalf("layer %d: cell %s has %d addresses, and the next vector is alone", n, c.id.Key, end)
			}
		}
		if len(vectors) > 0 {
			t.Fatalf("layer %d: vectors %v have no cell", n, vectors)
		}
	}
	if merged < 100 {
		t.Errorf("%d cells have several vectors", merged)
	}
}

// parentsHeld returns the addresses of the parents that c holds: those of several vectors all at once, of the others
// those of the vector that reads most.
func parentsHeld(g *Enumeration, n int, c *cell) (addresses uint64) {
	if !c.several() {
		for _, p := range g.Plan(n)[slices.Index(g.cellsOf(n).list, c)].Parents {
			addresses += planned(g, p).Addresses
		}
		return addresses
	}
	joints, most := map[puzzle.Cell]uint64{}, uint64(0)
	for _, v := range c.vectors {
		singles := map[puzzle.Cell]uint64{}
		for _, e := range g.Edges(v, n) {
			p := planned(g, g.cellOf(n-1, e.End))
			if p.Addresses > g.Space.Addresses(e.End) {
				joints[p.Cell] = p.Addresses
			} else {
				singles[p.Cell] = p.Addresses
			}
		}
		most = max(most, addressesOf(singles))
	}
	return addressesOf(joints) + most
}

func addressesOf(cells map[puzzle.Cell]uint64) (sum uint64) {
	for _, n := range cells {
		sum += n
	}
	return sum
}

func planned(g *Enumeration, c puzzle.Cell) puzzle.CellPlan {
	plans := g.Plan(c.Layer)
	return plans[slices.IndexFunc(plans, func(p puzzle.CellPlan) bool { return p.Cell == c })]
}

// TestRowsOfNoPosition: a row at an address between two vectors makes a window one that cannot be read. A worker that
// lies may store such a row.
func TestRowsOfNoPosition(t *testing.T) {
	g := english(t, "center")
	g.Merge(1 << 14)
	tried := 0
	for n := range g.Layers {
		for _, c := range g.cellsOf(n).list {
			for i := range len(c.vectors) - 1 {
				for at := c.ends[i] - 1; at <= c.bases[i+1]; at++ {
					block := puzzle.Block{Addresses: int(c.addresses()), Occupied: make([]uint64, (c.addresses()+63)/64)}
					block.Occupied[at/64] = 1 << (at % 64)
					block.Columns = [][]uint64{{1}}
					got := -1
					err := c.pieces(&block, func(i int, piece *puzzle.Block) error {
						got = i
						return EachAddress(piece, func(own uint64) error {
							if c.bases[i]+own != at {
								t.Fatalf("%v: address %d is passed as %d of vector %d", c.id, at, own, i)
							}
							return nil
						})
					})
					want := i
					switch {
					case at == c.bases[i+1]:
						want = i + 1
					case at >= c.ends[i]:
						want = -1
						tried++
					}
					if missing := new(puzzle.MissingError); got != want || (want < 0) != errors.As(err, &missing) {
						t.Fatalf("%v, address %d: vector %d, %v, want vector %d", c.id, at, got, err, want)
					}
				}
			}
		}
	}
	if tried < 100 {
		t.Errorf("%d addresses are of no position", tried)
	}
}
