//go:build chaos

package chaos

import (
	"context"
	"sync"

	"github.com/nats-io/nats.go"

	"pagoda/internal/fleet"
	"pagoda/internal/keys"
	"pagoda/test/testbed"
)

// A stage is a fleet and what the faults have to know of each other.
type stage struct {
	*testbed.Fleet
	dir   string
	moves int // how often the coordinator's folder was moved

	mu    sync.Mutex
	busy  map[*testbed.Worker]bool // whose disk a fault works on
	twins []testbed.Exit           // of coordinators that were to give way
}

func (c *stage) lock(w *testbed.Worker) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy[w] {
		return false
	}
	c.busy[w] = true
	return true
}

func (c *stage) unlock(w *testbed.Worker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.busy, w)
}

func (c *stage) twinEnded(e testbed.Exit) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.twins = append(c.twins, e)
	return false
}

// dial connects to NATS as the coordinator does, to whom everything is allowed.
func (c *stage) dial(ctx context.Context) (*nats.Conn, error) {
	o := fleet.DialOptions{URL: c.URL, Name: "chaos", Insecure: c.Keys == ""}
	if c.Keys != "" {
		k, err := keys.Load(c.Keys)
		if err != nil {
			return nil, err
		}
		o.Keys = k
	}
	return fleet.Dial(ctx, o)
}
