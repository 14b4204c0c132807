//go:build faults

package faults

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"pagoda/internal/app/cli"
	"pagoda/test/testbed"
)

const (
	day = 24 * time.Hour
	// Certificates are valid from an hour before they were made, and for a year.
	validBefore, validAfter = 50 * time.Minute, 300 * day
)

// jump starts a process again with a monotonic clock that has moved by hours, to and fro.
func jump(p *testbed.Process, r *rand.Rand) {
	ahead := time.Duration(0)
	if p.Clock() == 0 {
		ahead = time.Hour + jitter(r, 1000*time.Hour)
	}
	p.Jump(ahead)
}

// jumpWall makes the wall clock of a process jump while it runs: by some seconds, hours or years, to or fro, or back to
// the right time. Where keys expire by it, it comes back soon.
func (c *testFleet) jumpWall(p *testbed.Process, r *rand.Rand) (string, error) {
	s := p.Skew()
	switch n := r.IntN(8); {
	case s.Wall != 0 && n < 3:
		s.Wall = 0
	case n < 4:
		s.Wall += jitter(r, 20*time.Second) - 10*time.Second
	case n < 5:
		s.Wall = time.Hour
	case n < 6:
		s.Wall = -time.Hour
	case n < 7:
		s.Wall = jitter(r, 600*day) - 300*day
	default:
		s.Wall = 10 * 365 * day
	}
	how := fmt.Sprintf("by %s", (s.Wall - p.Skew().Wall).Round(time.Second))
	if c.Keys == "" || s.Wall > -validBefore && s.Wall < validAfter {
		return how, c.setClock(p, s)
	}
	c.tolerateExit(cli.Failed, cli.Usage) // of one that starts meanwhile
	if err := c.setClock(p, s); err != nil {
		return how, err
	}
	time.Sleep(2*time.Second + jitter(r, 6*time.Second))
	s.Wall = 0
	return how, c.setClock(p, s)
}

// shiftMonotonic makes the monotonic clock of a process leap ahead, as that of a virtual machine does that was paused.
func (c *testFleet) shiftMonotonic(p *testbed.Process, r *rand.Rand) error {
	s := p.Skew()
	s.Monotonic += time.Second + jitter(r, 2*time.Minute)
	return c.setClock(p, s)
}

// setClock keeps in mind, for the report, when clocks cannot be made to jump on this machine.
func (c *testFleet) setClock(p *testbed.Process, s testbed.Skew) error {
	err := p.SetClock(s)
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noJumps = err
	return errIdle
}
