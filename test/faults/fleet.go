//go:build faults

package faults

import (
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"pagoda/internal/fleet/keys"
	"pagoda/internal/fleet/natsqueue"
	"pagoda/test/testbed"
)

// A testFleet is a fleet and the state that its faults share.
type testFleet struct {
	*testbed.Fleet
	dir   string
	want  map[string]string // the results of an undisturbed run
	moves int               // how often the coordinator's folder was moved

	mu       sync.Mutex
	runs     int
	held     map[*testbed.Process]bool // see alone
	replaced []testbed.Exit            // of coordinators that were to give way
	noJumps  error                     // why clocks cannot be made to jump in a running process
	excuses  map[int]time.Time         // until when the coordinator may end with an exit code
}

// Runs counts the runs that were begun.
func (c *testFleet) Runs() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.runs
}

// tolerateExit says that the coordinator may end with these exit codes, for a while.
func (c *testFleet) tolerateExit(codes ...int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, code := range codes {
		c.excuses[code] = time.Now().Add(time.Minute)
	}
}

// exitTolerated reports whether the coordinator may have ended with an exit code.
func (c *testFleet) exitTolerated(code int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Before(c.excuses[code])
}

// alone lets a fault have a process to itself: one that is to stay down for a while, or whose folder is worked on.
// Others may kill it meanwhile, but none may bring it up. When another fault has it, nothing is done: errIdle.
func (c *testFleet) alone(p *testbed.Process, do func() error) error {
	c.mu.Lock()
	taken := c.held[p]
	c.held[p] = true
	c.mu.Unlock()
	if taken {
		return errIdle
	}
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.held, p)
	}()
	return do()
}

func (c *testFleet) successorEnded(e testbed.Exit) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replaced = append(c.replaced, e)
	return false
}

// dial connects to NATS with the rights of the coordinator, which may do everything.
func (c *testFleet) dial(ctx context.Context) (*nats.Conn, error) {
	o := natsqueue.DialOptions{URL: c.URL, Name: "faults", Insecure: c.Keys == ""}
	if c.Keys != "" {
		k, err := keys.Load(c.Keys)
		if err != nil {
			return nil, err
		}
		o.Keys = k
	}
	return natsqueue.Dial(ctx, o)
}
