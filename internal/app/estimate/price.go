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

// cost is the price of a run on a fleet.
func (p *Prices) cost(f *FleetPlan) *Cost {
	const hour, gb = 3600, 1e9
	hours := f.Seconds / hour * float64(f.Workers)
	c := Cost{
		CoreHours: hours * float64(f.Concurrency), GBHours: hours * float64(f.MemoryBytes) / gb,
		GB: float64(f.Transferred) / gb,
	}
	c.Cores, c.Memory, c.Transfer = c.CoreHours*p.CoreHour, c.GBHours*p.GBHour, c.GB*p.GB
	c.Total = c.Cores + c.Memory + c.Transfer
	return &c
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
