package plan

import "sort"

// The layers of a plan are cut into partitions of about the same predicted work: windows that follow each other in a
// layer share partitions, and puzzles list cells so that neighbours read much the same parents. In a fleet every worker
// has some neighbouring partitions of every layer, the same ones as long as no worker comes or goes. So it has computed
// most parents of its windows itself. A large cell lies in several partitions. Given whole to one worker it would
// exceed that worker's part of the layer, and the others would take its windows one by one, each with all of its
// parents.

// DefaultPartitions is the number of partitions of a fleet's plan. From a few dozen workers on, neighbours share little
// anyhow.
const DefaultPartitions = 256

// A PartitionRange is some neighbouring partitions, from From to the one before To.
type PartitionRange struct{ From, To int }

// AllPartitions returns the range of all partitions.
func (p *Plan) AllPartitions() PartitionRange { return PartitionRange{0, len(p.ready)} }

// Partitions returns the number of parts that every layer is cut into.
func (p *Plan) Partitions() int { return len(p.ready) }

// A share is the windows of a cell that lie in one partition: from one on, to the next share's first.
type share struct {
	cell      *Cell
	partition int
	first     int
	todo      []int32 // windows to be computed that no worker has, last first
	queued    bool    // in the ready heap of its partition
}

// partition gives the windows of a layer their partitions: each the one that the middle of its work lies in.
func (p *Plan) partition(l *Layer) {
	var whole, before float64
	for i := range l.Plans {
		whole += p.Index[l.Plans[i].Cell].work()
	}
	for i := range l.Plans {
		c := p.Index[l.Plans[i].Cell]
		each := c.WorkPerWindow()
		for part := range c.Parts {
			middle := before + (float64(part)+0.5)*each
			at := min(int(middle/whole*float64(len(p.ready))), len(p.ready)-1)
			if n := len(c.shares); n == 0 || c.shares[n-1].partition < at {
				c.shares = append(c.shares, share{cell: c, partition: at, first: part})
			}
		}
		before += c.work()
	}
}

// shareOf returns the share that window i of the cell belongs to.
func (c *Cell) shareOf(i int) *share {
	after := sort.Search(len(c.shares), func(k int) bool { return c.shares[k].first > i })
	return &c.shares[after-1]
}

func (c *Cell) work() float64 { return c.WorkPerWindow() * float64(len(c.Parts)) }
