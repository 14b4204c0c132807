package batch

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/estimate"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/quantity"
	"pagoda/internal/run/rundir"
)

// A Plan predicts the cost of a batch from its beginning. Its JSON form is a contract, described in docs/cli.md.
type Plan struct {
	Batch   string `json:"batch"`
	Data    string `json:"data"`
	AtATime int    `json:"at_a_time"`
	Windows int    `json:"windows"`
	// MemoryBytes is the most that the largest members take at the same time, DiskBytes what all members take in the end.
	MemoryBytes uint64 `json:"memory_bytes"`
	MemoryLimit uint64 `json:"memory_limit_bytes"` // of one member
	DiskBytes   uint64 `json:"disk_bytes"`
	DiskFree    uint64 `json:"disk_free_bytes"`
	// CPUSeconds and Seconds are those of the members whose time is known.
	CPUSeconds float64 `json:"cpu_seconds"`
	Seconds    float64 `json:"seconds"`
	Untimed    int     `json:"untimed"` // members too small to tell their time
	More       int     `json:"more_layers"`
	Fits       bool    `json:"fits"`
	Obstacle   string  `json:"obstacle,omitempty"`
	// Cost adds the costs of the members whose time is known; nil without prices.
	Cost    *estimate.Cost `json:"cost,omitempty"`
	Members []MemberPlan   `json:"members"`
}

// A MemberPlan is the part of a Plan about one member.
type MemberPlan struct {
	Member      string  `json:"member"`
	Run         string  `json:"run"`
	Windows     int     `json:"windows"`
	MemoryBytes uint64  `json:"memory_bytes"`
	DiskBytes   uint64  `json:"disk_bytes"`
	CPUSeconds  float64 `json:"cpu_seconds,omitempty"`
	Seconds     float64 `json:"seconds,omitempty"`
	More        bool    `json:"more_layers"` // of later layers nothing is known, or the puzzle guesses them
	Fits        bool    `json:"fits"`
	Obstacle    string  `json:"obstacle,omitempty"`

	Cost *estimate.Cost `json:"cost,omitempty"` // nil without prices
}

// untimed says that the member is too small to tell its time.
func (m *MemberPlan) untimed() bool { return m.CPUSeconds == 0 && m.Windows > 0 }

// MakePlan predicts the cost of a batch. f has the rate, the prices and the progress of the prediction, and no
// fleets.
func (b *Batch) MakePlan(ctx context.Context, f estimate.Fleets) (*Plan, error) {
	p := &Plan{Batch: b.Name, Data: b.Dir, AtATime: b.AtATime, Fits: true}
	say := f.Progress
	for i, m := range b.Members {
		if say != nil {
			f.Progress = func(doing string) { say(fmt.Sprintf("member %d of %d, %s: %s", i+1, len(b.Members), m.Name, doing)) }
		}
		j, err := m.Job(ctx)
		if err != nil {
			return nil, err
		}
		e, err := estimate.Make(ctx, j, f)
		if err != nil {
			return nil, fmt.Errorf("member %s: %w", m.Name, err)
		}
		planned := MemberPlan{Member: m.Name, Run: m.ID, Windows: e.Windows, MemoryBytes: e.MemoryBytes,
			DiskBytes: e.DiskBytes, CPUSeconds: e.CPUSeconds, Seconds: e.Seconds, More: e.MoreLayers, Fits: e.Fits,
			Obstacle: e.Obstacle}
		if f.Prices != nil && !planned.untimed() {
			planned.Cost = f.Prices.Cost(1, e.Concurrency, e.Seconds, e.MemoryBytes, 0)
		}
		p.Members = append(p.Members, planned)
		p.MemoryLimit = max(p.MemoryLimit, e.MemoryLimit)
	}
	if f.Prices != nil {
		p.Cost = &estimate.Cost{}
	}
	p.total()
	free, err := rundir.FreeDisk(b.Dir)
	if err == nil && free > 0 {
		var used uint64
		used, err = rundir.UsedDisk(b.Dir)
		free += used
	}
	p.DiskFree = free
	if free > 0 && p.DiskBytes > free && p.Fits {
		p.Fits = false
		p.Obstacle = fmt.Sprintf("its members need up to %s of disk together, and there are %s", quantity.Bytes(p.DiskBytes),
			quantity.Bytes(free))
	}
	return p, cli.AdviseFolder(err, b.Dir)
}

// total adds the members up. As many as run at a time take their memory together, and their time side by side; the disk
// of those that are complete stays taken.
func (p *Plan) total() {
	var memory []uint64
	longest := 0.0
	for i := range p.Members {
		m := &p.Members[i]
		p.Windows += m.Windows
		p.DiskBytes += m.DiskBytes
		p.CPUSeconds += m.CPUSeconds
		p.Seconds += m.Seconds
		longest = max(longest, m.Seconds)
		if m.Cost != nil {
			p.Cost.Add(m.Cost)
		}
		memory = append(memory, m.MemoryBytes)
		if m.untimed() {
			p.Untimed++
		}
		if m.More {
			p.More++
		}
		if !m.Fits && p.Fits {
			p.Fits, p.Obstacle = false, "member "+m.Member+": "+m.Obstacle
		}
	}
	p.Seconds = max(longest, p.Seconds/float64(p.AtATime))
	slices.SortFunc(memory, func(a, b uint64) int { return cmp.Compare(b, a) })
	for _, n := range memory[:min(p.AtATime, len(memory))] {
		p.MemoryBytes += n
	}
}

// Text is the plan for people.
func (p *Plan) Text(style render.Style) []byte {
	s := render.Sheet{Style: style}
	s.Numbers()
	s.Printf("member\trun\twindows\tmemory\tdisk\ttime\t")
	if p.Cost != nil {
		s.Printf("cost\t")
	}
	s.Printf("\n")
	for i := range p.Members {
		m := &p.Members[i]
		time, cost := "unknown", "unknown"
		switch {
		case m.Windows == 0:
			time = "none"
		case !m.untimed():
			time = quantity.Duration(m.Seconds)
		}
		if m.Cost != nil {
			cost = fmt.Sprintf("%.4g", m.Cost.Total)
		}
		s.Printf("%s\t%s\t%s\t%s\t%s\t%s\t", m.Member, m.Run, s.Number(m.Windows), quantity.Bytes(m.MemoryBytes),
			quantity.Bytes(m.DiskBytes), time)
		if p.Cost != nil {
			s.Printf("%s\t", cost)
		}
		s.Printf("\n")
	}
	s.Columns()
	s.Printf("\nbatch\t%s, %s, %d at a time\n", p.Batch, s.Of(len(p.Members), "member"), p.AtATime)
	s.Printf("data folder\t%s\n", p.Data)
	s.Printf("windows\t%s\n", s.Number(p.Windows))
	s.Printf("memory\tat most %s at a time, of %s allowed for each member\n", quantity.Bytes(p.MemoryBytes),
		quantity.Bytes(p.MemoryLimit))
	s.Printf("disk\tat most %s in the end, of %s free\n", quantity.Bytes(p.DiskBytes), quantity.Bytes(p.DiskFree))
	untimed := ""
	if p.Untimed > 0 {
		untimed = ", and " + plural.Of(p.Untimed, "member") + " too small to tell"
	}
	s.Printf("time\tabout %s, %s of cpu time%s\n", quantity.Duration(p.Seconds), quantity.Duration(p.CPUSeconds), untimed)
	if c := p.Cost; c != nil {
		s.Printf("cost\t%.4g: %.4g for %.4g core hours, %.4g for %.4g GB hours of memory%s\n", c.Total, c.Cores, c.CoreHours,
			c.Memory, c.GBHours, untimed)
	}
	if p.More > 0 {
		s.Printf("note\tof %s later layers are decided on the way: their figures are of the layers that are planned\n",
			plural.Of(p.More, "member"))
	}
	if !p.Fits {
		s.Printf("verdict\tdoes not fit on this machine: %s\n", p.Obstacle)
	}
	return s.Bytes()
}
