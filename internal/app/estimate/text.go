package estimate

import (
	"fmt"

	"pagoda/internal/output/render"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/quantity"
)

// Text is the plan for people.
func (p *Plan) Text(style render.Style) []byte {
	s := render.Sheet{Style: style}
	s.Numbers()
	s.Printf("layer\tcells\twindows\taddresses\t\n")
	for _, l := range p.LayerPlans {
		s.Printf("%d\t%s\t%s\t%s\t\n", l.Layer, s.Number(l.Cells), s.Number(l.Windows), s.Number(l.Addresses))
	}
	s.Columns()
	s.Printf("\n")
	more, most, about := "", "at most", "about"
	switch {
	case p.unbounded():
		more = " at least: later layers are decided on the way, and what follows is of " +
			plural.Of(p.Layers, "layer") + " alone"
		most, about = "at least", "at least"
	case p.MoreLayers:
		more = fmt.Sprintf(" expected: %d planned, and the others, decided on the way, are the puzzle's guess", p.Planned)
		most = "about"
	}
	s.Printf("run\t%s\n", p.Run)
	s.Printf("data folder\t%s\n", p.Data)
	s.Printf("layers\t%d%s\n", p.Layers, more)
	s.Printf("windows\t%s in %s\n", s.Number(p.Windows), s.Of(p.Cells, "cell"))
	s.Printf("addresses\t%s\n", s.Number(p.Addresses))
	s.Printf("memory\t%s %s at concurrency %d, of %s allowed\n",
		most, quantity.Bytes(p.MemoryBytes), p.Concurrency, quantity.Bytes(p.MemoryLimit))
	s.Printf("window\t%s %s in memory, parents included\n", most, quantity.Bytes(p.WindowBytes))
	s.Printf("disk\t%s %s with retention %s (rows %s), of %s free\n",
		most, quantity.Bytes(p.DiskBytes), p.Keep, quantity.Bytes(p.RowBytes), quantity.Bytes(p.DiskFree))
	for _, note := range p.Notes {
		s.Printf("note\t%s\n", note)
	}
	if p.Windows == 0 {
		s.Printf("time\tnone: there is nothing to compute\n")
	} else if p.CPUSeconds > 0 {
		s.Printf("time\t%s %s at concurrency %d, %s of cpu time\n",
			about, quantity.Duration(p.Seconds), p.Concurrency, quantity.Duration(p.CPUSeconds))
	} else {
		s.Printf("time\tunknown: the windows of the first layers are too small to tell\n")
	}
	p.fleetText(&s)
	p.costText(&s)
	if !p.Fits {
		s.Printf("verdict\tdoes not fit on this machine: %s\n", p.Obstacle)
	}
	return s.Bytes()
}

// fleetText adds the times on fleets to the text of a plan.
func (p *Plan) fleetText(s *render.Sheet) {
	if len(p.Fleets) == 0 {
		return
	}
	s.Columns()
	s.Printf("\n")
	s.Numbers()
	s.Printf(
		"workers\tcores\ttime\tefficiency\tlongest chain\tfetched\tof stored\tmemory each\tdisk each\tcoordinator\t\n",
	)
	for _, f := range p.Fleets {
		share := 0.0
		if f.Stored > 0 {
			share = float64(f.Transferred) / float64(f.Stored)
		}
		s.Printf("%d\t%d\t%s\t%.0f %%\t%s\t%s\t%.2f\t%s\t%s\t%.0f %%\t\n", f.Workers, f.Workers*f.Concurrency,
			brief(f.Seconds), 100*f.Efficiency, brief(f.CriticalPath), quantity.Bytes(f.Transferred), share,
			quantity.Bytes(f.MemoryBytes), quantity.Bytes(f.DiskBytes), 100*f.CoordinatorBusy)
	}
	s.Columns()
	s.Printf("\n")
	disk := ""
	if p.WorkerDisk > 0 {
		disk = " and " + quantity.Bytes(p.WorkerDisk) + " of disk"
	}
	s.Printf("each worker\thas %s of memory%s\n", quantity.Bytes(p.WorkerMemory), disk)
	for _, f := range p.Fleets {
		if !f.Fits {
			s.Printf("fleet of %d\tdoes not fit: %s\n", f.Workers, f.Obstacle)
		}
	}
}

// brief is quantity.Duration in a column, where small times are to be compared.
func brief(seconds float64) string {
	if seconds < 1 {
		return fmt.Sprintf("%.2gs", seconds)
	}
	return quantity.Duration(seconds)
}
