//go:build sockets

package hostile

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"pagoda/internal/catalog"
	"pagoda/internal/config"
	"pagoda/internal/fleet/archive"
	"pagoda/internal/fleet/keys"
	"pagoda/internal/fleet/natsqueue"
	"pagoda/internal/fleet/transfer"
	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/compute"
	"pagoda/internal/run/engine/enginetest/hostile"
	"pagoda/internal/run/protocol"
)

// ordersVariable has the orders of an attacker process, as JSON.
const ordersVariable = "HOSTILE_WORKER"

// orders say what an attacker process does.
type orders struct {
	NATS, Certs, Dir, Name string
	Others                 []string // names of two honest workers
	Behaviours             []string
	Seed                   uint64
}

// deeds count what an attacker has done; it writes them to its standard output all the time.
type deeds struct {
	Joined, Reports, Served, Dismissed int64
	Pried                              int64 // answers that it should not have got
}

// process is an attacker process.
type process struct {
	*orders
	run     string
	address string // at which others fetch windows
	x       atomic.Pointer[hostile.Attacker]
	sock    socketBehaviour
	keys    *keys.Credentials
	nc      *nats.Conn
	store   *kv.Store
	archive *archive.Archive // nil: there is none
	link    *natsqueue.Link
	puzzle  puzzle.Puzzle

	joined, reports, served, dismissed, pried atomic.Int64
}

// named returns the name of the worker with a label and credentials.
func named(label string, own *keys.Credentials) string {
	return protocol.Named(label, keys.Fingerprint(own.Key))
}

// attack is the main function of an attacker process.
func attack(text string) error {
	var o orders
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	p := &process{orders: &o}
	ctx := context.Background()
	go p.tell()
	var err error
	if p.keys, err = keys.Load(o.Certs); err != nil {
		return err
	}
	if p.nc, err = natsqueue.Dial(ctx, natsqueue.DialOptions{URL: o.NATS, Name: o.Name, Keys: p.keys}); err != nil {
		return err
	}
	a, err := natsqueue.Discover(ctx, p.nc, "")
	if err != nil {
		return err
	}
	p.run = a.Run
	c, err := parse(a.Config)
	if err != nil {
		return err
	}
	if p.puzzle, err = catalog.All.Build(c); err != nil {
		return err
	}
	if url := c.Text("archive"); url != "" {
		if p.archive, err = archive.Open(url, p.run); err != nil {
			return err
		}
	}
	if p.store, err = kv.Open(o.Dir, p.run, kv.Options{}); err != nil {
		return err
	}
	var list []*hostile.Behaviour
	for _, name := range o.Behaviours {
		b, s := hostile.Behaviours[name], socketBehaviours[name]
		switch {
		case b != nil:
			list = append(list, b)
		case s != nil:
			p.sock = p.sock.with(s)
		default:
			return fmt.Errorf("no behaviour is called %q", name)
		}
	}
	if len(list) == 0 {
		list = append(list, &hostile.Behaviour{})
	}
	rnd := rand.New(rand.NewPCG(o.Seed, 1))
	mixed := hostile.Mix(rnd, list...)
	if p.address, err = p.listen(); err != nil {
		return err
	}
	if p.sock.floods != nil {
		go p.sock.floods(ctx, p)
	}
	name := named(o.Name, p.keys)
	for n := 1; ; n++ {
		err := p.work(ctx, mixed, name)
		if p.dismissed.Add(1); p.sock.returns {
			name = named(fmt.Sprintf("%s-%d", o.Name, n), p.keys)
		}
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		time.Sleep(200 * time.Millisecond)
	}
}

// work is one session with the coordinator.
func (p *process) work(ctx context.Context, b *hostile.Behaviour, name string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var err error
	if p.link, err = natsqueue.NewLink(p.nc, p.run); err != nil {
		return err
	}
	queue, err := natsqueue.NewWork(p.nc, p.run, name, natsqueue.WorkOptions{})
	if err != nil {
		return err
	}
	defer queue.Close()
	fetcher := transfer.NewFetcher(transfer.Options{Store: p.store, Name: name, Keys: p.keys, SpillDir: p.Dir})
	defer fetcher.Close()
	x := &hostile.Attacker{
		Behaviour: b, Ctx: ctx, Name: name, Run: p.run, Others: p.Others, Puzzle: p.puzzle, Queue: counted{queue, p},
		CoordinatorClient: p.link, Committed: p.committed,
	}
	p.x.Store(x)
	x.Begin()
	return compute.Serve(ctx, compute.Options{
		Name: name, Run: p.run, Concurrency: 2, Puzzle: x.Computes(), Store: p.store, Queue: x, Coordinator: x,
		Fetcher: fetcher, Address: p.address, CacheBytes: 1 << 20,
		Events: compute.Events{
			Joined: func(compute.Joined) { p.joined.Add(1) }, Committed: func(all []protocol.Archived) { go p.upload(ctx, all) },
		},
	})
}

// upload puts true windows into the archive, where there is one.
func (p *process) upload(ctx context.Context, all []protocol.Archived) {
	for _, w := range all {
		if rec, ok, err := p.store.Record(w.Window); ok && err == nil && p.archive != nil {
			if _, err := p.archive.Put(ctx, p.store, &rec, p.Dir); err != nil {
				fmt.Fprintln(os.Stderr, "archive:", err)
			}
		}
	}
}

type counted struct {
	protocol.WorkQueue
	p *process
}

func (q counted) Report(ctx context.Context, r protocol.Report) (protocol.Reply, error) {
	q.p.reports.Add(1)
	return q.WorkQueue.Report(ctx, r)
}

// committed asks where the parents of all cells are, as far as there is an answer.
func (p *process) committed() (list []protocol.Held) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	seen := make(map[puzzle.WindowID]bool)
	for n := 0; ; n++ {
		plans, err := p.puzzle.Layer(n, nil)
		if err != nil {
			return list
		}
		for i := range plans {
			parents, err := p.link.Locate(ctx, plans[i].Cell)
			if err != nil {
				return list
			}
			for _, l := range parents {
				for _, w := range l.Windows {
					if id := w.Record.ID(); !seen[id] {
						seen[id] = true
						list = append(list, protocol.Held{Window: w.Record.Window, Digest: w.Record.Digest})
					}
				}
			}
		}
	}
}

// tell writes the numbers of its deeds so far.
func (p *process) tell() {
	for range time.Tick(100 * time.Millisecond) {
		b, err := json.Marshal(deeds{p.joined.Load(), p.reports.Load(), p.served.Load(), p.dismissed.Load(), p.pried.Load()})
		if err == nil {
			fmt.Println(string(b))
		}
	}
}

// parse reads an announced configuration.
func parse(text string) (*config.Config, error) {
	return config.Parse("run", []byte(text), config.Options{
		General: config.General("run", catalog.All.Names(), config.Machine{CPUs: 1, MemoryBytes: 1 << 30}, nil),
		Puzzle:  catalog.All.Settings,
	})
}
