//go:build faults

package faults

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pagoda/internal/app/cli"
	"pagoda/test/testbed"
)

// A fault does harm, and returns when it has undone what does not heal by itself. It says whom it hit.
type fault struct {
	name   string
	weight int
	do     func(c *testFleet, r *rand.Rand) (whom string, err error)
}

// errIdle says that a fault found nothing to harm.
var errIdle = errors.New("nothing to harm")

var faults = []fault{
	{"worker killed", 20, func(c *testFleet, r *rand.Rand) (string, error) {
		w := c.anyone(r)
		w.Kill()
		return w.Name, nil
	}},
	{"worker lost with its disk", 5, loseDisk},
	{"worker drained and started again", 8, func(c *testFleet, r *rand.Rand) (string, error) {
		w := c.anyone(r)
		return w.Name, c.alone(w.Process, func() error {
			w.Stop(syscall.SIGTERM)
			return w.Resume()
		})
	}},
	{"worker frozen past its deadline", 4, func(c *testFleet, r *rand.Rand) (string, error) {
		w := c.anyone(r)
		w.Signal(syscall.SIGSTOP)
		time.Sleep(7*time.Second + jitter(r, 2*time.Second))
		w.Signal(syscall.SIGCONT)
		return w.Name, nil
	}},
	{"coordinator killed", 10, func(c *testFleet, _ *rand.Rand) (string, error) {
		c.Coordinator.Kill()
		return "", nil
	}},
	{"NATS killed", 6, func(c *testFleet, _ *rand.Rand) (string, error) {
		c.NATS.Kill()
		return "", nil
	}},
	{"NATS killed and its storage lost", 5, func(c *testFleet, _ *rand.Rand) (string, error) {
		return "", c.alone(c.NATS, func() error {
			c.NATS.Stop(syscall.SIGKILL)
			err := os.RemoveAll(c.NATSStore())
			return errors.Join(err, c.NATS.Resume())
		})
	}},
	{"stream deleted", 6, func(c *testFleet, _ *rand.Rand) (string, error) {
		return "", c.admin(func(ctx context.Context, js jetstream.JetStream, stream string) error {
			return js.DeleteStream(ctx, stream)
		})
	}},
	{"stream purged", 4, func(c *testFleet, _ *rand.Rand) (string, error) {
		return "", c.admin(func(ctx context.Context, js jetstream.JetStream, stream string) error {
			s, err := js.Stream(ctx, stream)
			if err != nil {
				return err
			}
			return s.Purge(ctx)
		})
	}},
	{"consumers deleted", 4, func(c *testFleet, _ *rand.Rand) (string, error) {
		return "", c.admin(func(ctx context.Context, js jetstream.JetStream, stream string) error {
			s, err := js.Stream(ctx, stream)
			if err != nil {
				return err
			}
			for name := range s.ConsumerNames(ctx).Name() {
				if err := s.DeleteConsumer(ctx, name); err != nil {
					return err
				}
			}
			return nil
		})
	}},
	{"tasks delivered twice", 8, duplicate},
	{"two workers cut off from each other", 8, func(c *testFleet, r *rand.Rand) (string, error) {
		a, b := c.anyone(r), c.anyone(r)
		if a == b {
			return "", errIdle
		}
		return a.Name + " " + b.Name, c.cutFor(a.Process, b.Process, time.Second+jitter(r, 6*time.Second))
	}},
	{"worker cut off from NATS", 6, func(c *testFleet, r *rand.Rand) (string, error) {
		w := c.anyone(r)
		return w.Name, c.cutFor(w.Process, c.NATS, time.Second+jitter(r, 9*time.Second))
	}},
	{"coordinator cut off from NATS", 4, func(c *testFleet, r *rand.Rand) (string, error) {
		return "", c.cutFor(c.Coordinator, c.NATS, time.Second+jitter(r, 6*time.Second))
	}},
	{"disk full", 4, fillDisk},
	{"bit flipped on disk", 10, flipOnDisk},
	{"bits flipped in transfer", 8, func(c *testFleet, r *rand.Rand) (string, error) {
		w := c.proxied(r)
		if w == nil {
			return "", errIdle
		}
		w.Proxy.Flips.Store(int64(1 + r.IntN(3)))
		return w.Name, nil
	}},
	{"transfers broken off", 6, func(c *testFleet, r *rand.Rand) (string, error) {
		w := c.proxied(r)
		if w == nil {
			return "", errIdle
		}
		w.Proxy.BreakAll()
		return w.Name, nil
	}},
	{"transfers stalled", 4, func(c *testFleet, r *rand.Rand) (string, error) {
		w := c.proxied(r)
		if w == nil {
			return "", errIdle
		}
		w.Proxy.Stall.Store(true)
		time.Sleep(time.Second + jitter(r, 5*time.Second))
		w.Proxy.Stall.Store(false)
		return w.Name, nil
	}},
	{"worker started again, monotonic clock hours off", 4, func(c *testFleet, r *rand.Rand) (string, error) {
		w := c.anyone(r)
		jump(w.Process, r)
		return w.Name, nil
	}},
	{"coordinator started again, monotonic clock hours off", 3, func(c *testFleet, r *rand.Rand) (string, error) {
		jump(c.Coordinator, r)
		return "", nil
	}},
	{"worker's wall clock jumps", 5, func(c *testFleet, r *rand.Rand) (string, error) {
		w := c.anyone(r)
		how, err := c.jumpWall(w.Process, r)
		return w.Name + " " + how, err
	}},
	{"coordinator's wall clock jumps", 4, func(c *testFleet, r *rand.Rand) (string, error) {
		return c.jumpWall(c.Coordinator, r)
	}},
	{"wall clock of NATS jumps", 4, func(c *testFleet, r *rand.Rand) (string, error) {
		return c.jumpWall(c.NATS, r)
	}},
	{"worker's monotonic clock leaps", 2, func(c *testFleet, r *rand.Rand) (string, error) {
		w := c.anyone(r)
		return w.Name, c.shiftMonotonic(w.Process, r)
	}},
	{"coordinator's monotonic clock leaps", 2, func(c *testFleet, r *rand.Rand) (string, error) {
		return "", c.shiftMonotonic(c.Coordinator, r)
	}},
	{"coordinator moved elsewhere", 3, func(c *testFleet, _ *rand.Rand) (string, error) {
		return "", c.alone(c.Coordinator, func() error { return move(c) })
	}},
}

// draw chooses a fault by weight.
func draw(r *rand.Rand) fault {
	sum := 0
	for _, f := range faults {
		sum += f.weight
	}
	n := r.IntN(sum)
	for _, f := range faults {
		if n -= f.weight; n < 0 {
			return f
		}
	}
	return faults[0]
}

func jitter(r *rand.Rand, most time.Duration) time.Duration {
	return time.Duration(r.Int64N(int64(most)))
}

func (c *testFleet) anyone(r *rand.Rand) *testbed.Worker { return c.Workers[r.IntN(len(c.Workers))] }

// proxied returns a worker behind a proxy, nil when there is none.
func (c *testFleet) proxied(r *rand.Rand) *testbed.Worker {
	var list []*testbed.Worker
	for _, w := range c.Workers {
		if w.Proxy != nil {
			list = append(list, w)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[r.IntN(len(list))]
}

func (c *testFleet) cutFor(a, b *testbed.Process, d time.Duration) error {
	if err := c.Net.Cut(a.Host, b.Host); errors.Is(err, testbed.ErrCut) {
		return errIdle
	} else if err != nil {
		return err
	}
	time.Sleep(d)
	return c.Net.Mend(a.Host, b.Host)
}

// loseDisk ends a worker and all that it had.
func loseDisk(c *testFleet, r *rand.Rand) (string, error) {
	w := c.anyone(r)
	return w.Name, c.alone(w.Process, func() error {
		w.Stop(syscall.SIGKILL)
		entries, err := os.ReadDir(w.Disk)
		for _, e := range entries {
			err = errors.Join(err, os.RemoveAll(filepath.Join(w.Disk, e.Name())))
		}
		return errors.Join(err, w.Resume())
	})
}

// fillDisk leaves no room on a worker's disk for some seconds.
func fillDisk(c *testFleet, r *rand.Rand) (string, error) {
	w := c.anyone(r)
	return w.Name, c.alone(w.Process, func() error {
		ballast := filepath.Join(w.Disk, "ballast")
		f, err := os.Create(ballast)
		if err != nil {
			return err
		}
		block := make([]byte, 1<<20)
		for err == nil {
			_, err = f.Write(block)
		}
		_ = f.Close()
		if !errors.Is(err, syscall.ENOSPC) {
			return err
		}
		time.Sleep(2*time.Second + jitter(r, 3*time.Second))
		return os.Remove(ballast)
	})
}

// flipOnDisk flips a bit of a segment or a table in a worker's store.
func flipOnDisk(c *testFleet, r *rand.Rand) (string, error) {
	w := c.anyone(r)
	var tables []string
	_ = filepath.WalkDir(w.Disk, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && (strings.HasSuffix(path, ".seg") || strings.HasSuffix(path, ".sst")) {
			tables = append(tables, path)
		}
		return nil // what vanishes on the way is no table any more
	})
	if len(tables) == 0 {
		return w.Name, errIdle
	}
	f, err := os.OpenFile(tables[r.IntN(len(tables))], os.O_RDWR, 0)
	if err != nil {
		return w.Name, errIdle
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return w.Name, errIdle
	}
	at := r.Int64N(info.Size())
	var b [1]byte
	if _, err := f.ReadAt(b[:], at); err != nil {
		return w.Name, err
	}
	b[0] ^= 1 << r.IntN(8)
	_, err = f.WriteAt(b[:], at)
	return w.Name, err
}

// move ends the coordinator and starts it with a copy of its folder, while the old one comes up again for a moment: two
// coordinators of one run, of which the newer must win.
func move(c *testFleet) error {
	if _, ok := c.Status(); !ok {
		return errIdle // there is no folder yet
	}
	c.Coordinator.Stop(syscall.SIGKILL)
	c.moves++
	next := filepath.Join(c.dir, fmt.Sprintf("moved-%d", c.moves))
	if err := os.CopyFS(next, os.DirFS(c.Data())); err != nil {
		return errors.Join(err, c.Coordinator.Resume())
	}
	old := &testbed.Process{
		Name: "old", Host: c.Coordinator.Host, Args: slices.Clone(c.Coordinator.Args), Dir: c.Coordinator.Dir,
		Log: c.Coordinator.Log, OnExit: c.successorEnded,
	}
	c.tolerateExit(cli.Fenced) // a coordinator that is held up comes later than its successor
	if err := old.Start(); err != nil {
		return err
	}
	time.Sleep(1500 * time.Millisecond)
	c.Move(next)
	err := c.Coordinator.Resume()
	time.Sleep(3 * time.Second)
	old.Stop(syscall.SIGKILL)
	return err
}

// admin does something to the run's stream.
func (c *testFleet) admin(do func(ctx context.Context, js jetstream.JetStream, stream string) error) error {
	return c.withNATS(func(ctx context.Context, _ *nats.Conn, js jetstream.JetStream) error {
		s, ok := c.Status()
		if !ok {
			return errIdle
		}
		err := do(ctx, js, "PAGODA-"+s.Run)
		if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrConsumerNotFound) {
			return errIdle
		}
		return err
	})
}

// duplicate publishes again what is in the stream, so that tasks are delivered twice.
func duplicate(c *testFleet, _ *rand.Rand) (string, error) {
	copies := 0
	err := c.admin(func(ctx context.Context, js jetstream.JetStream, stream string) error {
		s, err := js.Stream(ctx, stream)
		if err != nil {
			return err
		}
		state := s.CachedInfo().State
		for seq := state.FirstSeq; seq <= state.LastSeq && copies < 20; seq++ {
			m, err := s.GetMsg(ctx, seq)
			if err != nil {
				continue // acknowledged meanwhile
			}
			if _, err := js.Publish(ctx, m.Subject, m.Data); err != nil {
				return err
			}
			copies++
		}
		return nil
	})
	if err == nil && copies == 0 {
		return "", errIdle
	}
	return fmt.Sprintf("%d tasks", copies), err
}

func (c *testFleet) withNATS(do func(ctx context.Context, nc *nats.Conn, js jetstream.JetStream) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	nc, err := c.dial(ctx)
	if err != nil {
		return errIdle // the server has just been killed
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	err = do(ctx, nc, js)
	for _, gone := range []error{
		context.DeadlineExceeded, nats.ErrNoResponders, nats.ErrConnectionClosed, nats.ErrTimeout,
	} {
		if errors.Is(err, gone) {
			return errIdle // the server went away meanwhile
		}
	}
	return err
}
