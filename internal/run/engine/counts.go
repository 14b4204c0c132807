package engine

import (
	"sync"
	"time"

	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/status"
)

// counts are the numbers in a status about the present process. Events fill them.
type counts struct {
	mu                       sync.Mutex
	windows, retries, losses int
	rows, addresses          uint64
	forecast                 *status.Forecast
}

// watch returns events that count and then call the given ones.
func (c *counts) watch(e coordinator.Events) coordinator.Events {
	count := func(fn func()) {
		c.mu.Lock()
		defer c.mu.Unlock()
		fn()
	}
	committed, retry, lost := e.Committed, e.Retry, e.Lost
	e.Committed = func(v coordinator.Committed) {
		count(func() { c.windows++; c.rows += v.Rows; c.addresses += v.Window.Addresses })
		count(func() {
			took := v.Took
			if v.Reused {
				took = 0
			}
			c.forecast.Committed(v.Window.Layer, v.Effort, took)
		})
		notify(committed, v)
	}
	e.Retry = func(v coordinator.Retry) {
		count(func() { c.retries++ })
		notify(retry, v)
	}
	e.Lost = func(v coordinator.Lost) {
		count(func() { c.losses++ })
		notify(lost, v)
	}
	return e
}

// left predicts the time that is left of the rest of the plan.
func (c *counts) left(now time.Time, rest []plan.Rest) *status.Left {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.forecast.Look(now, rest)
}

func (c *counts) into(s *status.Status) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Committed, s.NewRows, s.NewAddresses, s.Retries, s.Lost = c.windows, c.rows, c.addresses, c.retries, c.losses
}
