// Command limit measures what one core of this machine can do at best with memory: read and copy more than the caches
// hold, and add counts that are scattered over a second-level cache. The kernels are judged by it; see the table of
// make bench.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
)

func main() {
	mib := flag.Int("mib", 256, "`MiB` that are read and copied; take much more than the last-level cache")
	repeat := flag.Int("repeat", 5, "`times` that each measurement is made; the best counts")
	flag.Parse()

	words := *mib << 17
	src, dst := make([]uint64, words), make([]uint64, words)
	for i := range src {
		src[i], dst[i] = uint64(i), 1
	}
	// The sum is printed, so that the compiler leaves nothing out.
	var sink uint64
	read := best(*repeat, func() { sink += sum(src) })
	copied := best(*repeat, func() { copy(dst, src) })
	sink += dst[len(dst)/2]

	g := newGather(rand.New(rand.NewPCG(1, 2)))
	added := best(*repeat, g.run)
	sink += g.to[0]

	bytes := 8 * float64(words)
	fmt.Printf("read %.3f GB/s\n", bytes/read/1e9)
	fmt.Printf("copy %.3f GB/s\n", 2*bytes/copied/1e9) // read and written
	fmt.Printf("gather %.4f ns\n", added/float64(g.updates())*1e9)
	fmt.Printf("sum %d\n", sink)
}

// best returns the CPU seconds of the cheapest of n calls: the machine is shared, and only ever slower than it can be.
func best(n int, fn func()) float64 {
	least := 0.0
	for i := range n {
		began := cpuTime()
		fn()
		if t := cpuTime() - began; i == 0 || t < least {
			least = t
		}
	}
	return least
}

// cpuTime returns the CPU seconds that this process has used so far.
func cpuTime() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // it has no way to fail
	}
	return float64(used.Utime.Sec+used.Stime.Sec) + float64(used.Utime.Usec+used.Stime.Usec)/1e6
}

// sum reads s as fast as loads of a word go: eight sums, so that no addition waits for another.
func sum(s []uint64) uint64 {
	var a, b, c, d, e, f, g, h uint64
	for ; len(s) >= 8; s = s[8:] {
		a += s[0]
		b += s[1]
		c += s[2]
		d += s[3]
		e += s[4]
		f += s[5]
		g += s[6]
		h += s[7]
	}
	return a + b + c + d + e + f + g + h
}

// A gather adds counts along lists of places, as a kernel does, with nothing else to do: the places ascend, with gaps,
// the counts fill a quarter of a megabyte on each side, and the lists are used again and again.
type gather struct {
	to, from []uint64
	pairs    [][4][2]uint16 // four at a time
}

const (
	gatherCounts = 1 << 15 // 256 KiB on each side
	gatherRun    = 1 << 12
	gatherRounds = 1 << 13
)

func newGather(r *rand.Rand) *gather {
	g := &gather{to: make([]uint64, gatherCounts), from: make([]uint64, gatherCounts)}
	places := func() []int {
		p := r.Perm(gatherRun)[:gatherRun/2]
		slices.Sort(p)
		return p
	}
	to, from := places(), places()
	g.pairs = make([][4][2]uint16, len(to)/4)
	for i := range to {
		g.pairs[i/4][i%4] = [2]uint16{uint16(to[i]), uint16(from[i])}
	}
	for i := range g.from {
		g.from[i] = uint64(i)
	}
	return g
}

func (g *gather) updates() int { return 4 * len(g.pairs) * gatherRounds }

func (g *gather) run() {
	for round := range gatherRounds {
		at := round * gatherRun % gatherCounts
		to := (*[gatherRun]uint64)(g.to[at:])
		from := (*[gatherRun]uint64)(g.from[at:])
		for i := range g.pairs {
			p := &g.pairs[i]
			to[p[0][0]%gatherRun] += from[p[0][1]%gatherRun]
			to[p[1][0]%gatherRun] += from[p[1][1]%gatherRun]
			to[p[2][0]%gatherRun] += from[p[2][1]%gatherRun]
			to[p[3][0]%gatherRun] += from[p[3][1]%gatherRun]
		}
	}
}
