package babylone

import (
	"cmp"
	"math/bits"
	"slices"
)

// weight is the least number of bricks of its top colour that a pile of height h holds.
func weight(h int) int { return bits.OnesCount(uint(h)) }

// A partition is the piles that show one colour.
type partition struct {
	heights []uint8 // ascending
	size    int     // sum of the heights
	weight  int     // sum of the weights
}

// partitions lists the partitions of weight at most the given one and size at most n, without the empty one, or nothing
// when they are more than most.
func partitions(most int, n, weightMost int) []partition {
	var list []partition
	var add func(p partition) bool
	add = func(p partition) bool {
		if p.size > 0 {
			if len(list) == most {
				return false
			}
			list = append(list, p)
		}
		least := 1
		if k := len(p.heights); k > 0 {
			least = int(p.heights[k-1])
		}
		for h := least; p.size+h <= n; h++ {
			if w := p.weight + weight(h); w <= weightMost {
				if !add(partition{append(slices.Clip(p.heights), uint8(h)), p.size + h, w}) {
					return false
				}
			}
		}
		return true
	}
	if !add(partition{}) {
		return nil
	}
	return list
}

// A class is the partitions of one size and number of piles that the same number of colours has the bricks for. Their
// ids are consecutive.
type class struct {
	first, n    int32 // ids first to first+n-1
	size, piles int
	colours     int // those with at least as many bricks as the partition's weight
}

// classify sorts partitions into classes: those that the most colours have bricks for come first, then by size and
// piles. It returns the classes and the partitions by id; class 0 and id 0 are the empty partition.
func classify(list []partition, bricks []int) ([]class, []partition) {
	colours := func(p *partition) (n int) {
		for _, b := range bricks {
			if p.weight <= b {
				n++
			}
		}
		return n
	}
	slices.SortFunc(list, func(a, b partition) int {
		return cmp.Or(cmp.Compare(colours(&b), colours(&a)), cmp.Compare(a.size, b.size),
			cmp.Compare(len(a.heights), len(b.heights)), slices.Compare(a.heights, b.heights))
	})
	classes := []class{{first: 0, n: 1, colours: len(bricks)}}
	all := append([]partition{{}}, list...)
	for id := 1; id < len(all); id++ {
		p := &all[id]
		c := class{first: int32(id), size: p.size, piles: len(p.heights), colours: colours(p)}
		if last := &classes[len(classes)-1]; last.size == c.size && last.piles == c.piles && last.colours == c.colours {
			last.n++
			continue
		}
		c.n = 1
		classes = append(classes, c)
	}
	return classes, all
}

// moveTables are the moves within and between the piles of one or two colours, as ids of partitions.
type moveTables struct {
	ids map[string]int32 // by heights, ascending
	// merges[mergeStart[id]:mergeStart[id+1]] are the partitions that come from putting two of its piles together.
	mergeStart []int32
	merges     []int32
	// Bit h-1 of heights[id] says that the partition has a pile of height h. The i-th of these heights has up and down at
	// stepStart[id]+i. up is the partition after such a pile is put on an equally high one of another colour. down is the
	// partition after another pile is put on it. 0 is the empty partition, absent one that is larger than the game.
	heights   []uint64
	stepStart []int32
	up, down  []int32
}

const absent = -1

func newMoveTables(all []partition) *moveTables {
	t := &moveTables{ids: make(map[string]int32, len(all))}
	for id := range all {
		t.ids[string(all[id].heights)] = int32(id)
	}
	find := func(heights []uint8) int32 {
		slices.Sort(heights)
		if id, ok := t.ids[string(heights)]; ok {
			return id
		}
		return absent
	}
	without := func(heights []uint8, drop ...uint8) []uint8 {
		rest := slices.Clone(heights)
		for _, h := range drop {
			i := slices.Index(rest, h)
			rest = slices.Delete(rest, i, i+1)
		}
		return rest
	}
	for id := range all {
		t.mergeStart = append(t.mergeStart, int32(len(t.merges)))
		t.stepStart = append(t.stepStart, int32(len(t.up)))
		heights := all[id].heights
		mask := uint64(0)
		for i, h := range heights {
			if i > 0 && heights[i-1] == h {
				continue
			}
			mask |= 1 << (h - 1)
			t.up = append(t.up, find(append(without(heights, h), 2*h)))
			t.down = append(t.down, find(without(heights, h)))
			for j, g := range heights[i+1:] {
				if j == 0 || heights[i+j] != g {
					t.merges = append(t.merges, find(append(without(heights, h, g), h+g)))
				}
			}
		}
		t.heights = append(t.heights, mask)
	}
	t.mergeStart = append(t.mergeStart, int32(len(t.merges)))
	return t
}
