package estimate

import (
	"pagoda/internal/output/render"
)

// Prices are those of a fleet, all in one currency; 0 is free.
type Prices struct {
	CoreHour float64 // of a core, for an hour
	GBHour   float64 // of 10^9 bytes of memory, for an hour
	GB       float64 // of 10^9 bytes that workers fetch from each other
}

// A Cost is the price of a run on a fleet, with its parts, in the currency of the prices. Each worker is paid for from
// the beginning of the run to its end, with all of its cores and as much memory as it needs. The coordinator is not in
// it.
type Cost struct {
	CoreHours float64 `json:"core_hours"`
	GBHours   float64 `json:"memory_gb_hours"`
	GB        float64 `json:"transferred_gb"`
	Cores     float64 `json:"cores"`
	Memory    float64 `json:"memory"`
	Transfer  float64 `json:"transfer"`
	Total     float64 `json:"total"`
}

// Cost is the price of a fleet for a time in seconds. Each worker has so many cores and bytes of memory, and together
// they fetch the transferred bytes from each other.
func (p *Prices) Cost(workers, cores int, seconds float64, memory, transferred uint64) *Cost {
	const hour, gb = 3600, 1e9
	hours := seconds / hour * float64(workers)
	c := Cost{
		CoreHours: hours * float64(cores), GBHours: hours * float64(memory) / gb, GB: float64(transferred) / gb,
	}
	c.Cores, c.Memory, c.Transfer = c.CoreHours*p.CoreHour, c.GBHours*p.GBHour, c.GB*p.GB
	c.Total = c.Cores + c.Memory + c.Transfer
	return &c
}

// Add makes c the cost of both together.
func (c *Cost) Add(d *Cost) {
	c.CoreHours, c.GBHours, c.GB = c.CoreHours+d.CoreHours, c.GBHours+d.GBHours, c.GB+d.GB
	c.Cores, c.Memory, c.Transfer = c.Cores+d.Cores, c.Memory+d.Memory, c.Transfer+d.Transfer
	c.Total += d.Total
}

// costText adds the costs of fleets to the text of a plan, where there are prices.
func (p *Plan) costText(s *render.Sheet) {
	if len(p.Fleets) == 0 || p.Fleets[0].Cost == nil {
		return
	}
	s.Columns()
	s.Printf("\n")
	s.Numbers()
	s.Printf("workers\tcore hours\tmemory GB hours\ttransferred GB\tcores\tmemory\ttransfer\tcost\t\n")
	for _, f := range p.Fleets {
		c := f.Cost
		s.Printf("%d\t%.4g\t%.4g\t%.4g\t%.4g\t%.4g\t%.4g\t%.4g\t\n", f.Workers, c.CoreHours, c.GBHours, c.GB, c.Cores,
			c.Memory, c.Transfer, c.Total)
	}
	s.Columns()
}
