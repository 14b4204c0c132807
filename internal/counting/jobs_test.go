package counting

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestAddJobs compares the jobs as this machine does them with the portable way, on random lists, for counts of every
// width.
func TestAddJobs(t *testing.T) {
	t.Run("short", func(t *testing.T) { rapid.Check(t, checkJobs[uint32, uint32]) })
	t.Run("widening", func(t *testing.T) { rapid.Check(t, checkJobs[uint64, uint32]) })
	t.Run("long", func(t *testing.T) { rapid.Check(t, checkJobs[uint64, uint64]) })
}

func checkJobs[R, P uint32 | uint64](t *rapid.T) {
	const addresses = 70
	pairs := &pairTable{all: make([]pairList, 3)}
	sizes := make([]int, len(pairs.all))
	for i := range pairs.all {
		n := rapid.IntRange(1, 40).Draw(t, "pairs")
		l := &pairs.all[i]
		for _, half := range []*uint32{&l.to, &l.from} {
			*half = pairs.allot(n)
			copy(pairs.ranks[*half:], rapid.SliceOfN(rapid.Uint16Range(0, addresses-1), n, n).Draw(t, "ranks"))
		}
		sizes[i] = n
	}
	pairs.first.Store(&pairs.ranks[0])
	windows := func(what string, most uint64) []uint64 {
		return rapid.SliceOfN(rapid.Uint64Range(0, most), 4*addresses, 4*addresses).Draw(t, what)
	}
	stretch, parent := as[R](windows("stretch", 1<<30)), as[P](windows("parent", 1<<31))
	if len(stretch.lo) > 0 && len(parent.lo) > 0 {
		stretch, parent = as[R](windows("stretch", 1<<56)), as[P](windows("parent", 1<<56))
	}
	other := Counts{short: slices.Clone(stretch.short), lo: slices.Clone(stretch.lo)}
	twin := rapid.Bool().Draw(t, "twin")
	at := rapid.Uint32Range(0, 3*addresses)
	var jobs []job
	for range rapid.IntRange(0, 5).Draw(t, "jobs") {
		list := rapid.IntRange(0, len(pairs.all)-1).Draw(t, "list")
		jobs = append(jobs, job{stretch: at.Draw(t, "at"), stretch2: at.Draw(t, "at2"), list: int32(list),
			parent: uint64(at.Draw(t, "parent at")), parent2: uint64(at.Draw(t, "parent at2")),
			pairs: int32(sizes[list])})
	}
	n := len(jobs)
	jobs = append(jobs, make([]job, jobsToCome)...)[:n]
	lo, hi := addJobs(jobs, twin, &stretch, &parent, pairs)
	wantLo, wantHi := doJobsPortable(jobs, twin, words[R](&other), words[P](&parent), pairs)
	if lo != wantLo || hi != wantHi {
		t.Fatalf("sum %d:%d, portable %d:%d", hi, lo, wantHi, wantLo)
	}
	if !slices.Equal(stretch.short, other.short) || !slices.Equal(stretch.lo, other.lo) {
		t.Fatalf("stretch %v, portable %v", stretch, other)
	}
}

// as returns counts in words of type T, and words returns them.
func as[T uint32 | uint64](list []uint64) (c Counts) {
	if _, ok := any(T(0)).(uint64); ok {
		c.lo = slices.Clone(list)
		return c
	}
	for _, n := range list {
		c.short = append(c.short, uint32(n))
	}
	return c
}

func words[T uint32 | uint64](c *Counts) []T {
	if list, ok := any(c.lo).([]T); ok {
		return list
	}
	return any(c.short).([]T)
}
