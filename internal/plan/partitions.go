package plan

// The layers of a plan are cut into partitions of about the same predicted work: cells that follow each other in a
// layer share partitions, and puzzles list them so that neighbours read much the same parents. In a fleet every worker
// has some neighbouring partitions of every layer, the same partitions as long as nobody comes or goes, so that most of
// what its windows read it has computed itself.

// DefaultPartitions is the number of partitions of a fleet's plan. From a few dozen workers on, neighbours share little
// anyhow.
const DefaultPartitions = 256

// A PartitionRange is some neighbouring partitions, from the first to the one before to.
type PartitionRange struct{ From, To int }

// AllPartitions is the range of all partitions.
func (p *Plan) AllPartitions() PartitionRange { return PartitionRange{0, len(p.ready)} }

// Partitions is the number of parts that every layer is cut into.
func (p *Plan) Partitions() int { return len(p.ready) }

// partition gives the cells of a layer their partitions.
func (p *Plan) partition(l *Layer) {
	var whole, before float64
	for i := range l.Plans {
		whole += p.Index[l.Plans[i].Cell].work()
	}
	for i := range l.Plans {
		c := p.Index[l.Plans[i].Cell]
		middle := before + c.work()/2
		c.partition = min(int(middle/whole*float64(len(p.ready))), len(p.ready)-1)
		before += c.work()
	}
}

func (c *Cell) work() float64 { return c.WorkPerWindow() * float64(len(c.Parts)) }
