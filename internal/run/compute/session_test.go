package compute

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// keyed is a puzzle whose windows do as the keys of their cells say.
type keyed struct{ puzzle.Puzzle }

func (keyed) Columns() []string { return nil }

func (keyed) Compute(ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink) (puzzle.Tally, error) {
	parent := puzzle.Cell{Layer: w.Layer - 1, Key: "a"}
	switch w.Key {
	case "fails":
		return puzzle.Tally{}, errors.New("oops")
	case "overflows":
		return puzzle.Tally{}, puzzle.ErrOverflow
	case "full":
		return puzzle.Tally{}, kv.ErrDiskFull
	case "foreign":
		parent.Key = "z"
		_, _ = in.Tally(parent)
		return puzzle.Tally{}, errors.New("hidden")
	case "waits":
		select {
		case <-ctx.Done():
		case <-time.After(3 * time.Second):
		}
		return puzzle.Tally{}, ctx.Err()
	case "reads":
		windows, err := in.Windows(parent)
		if err != nil {
			return puzzle.Tally{}, err
		}
		w := windows[len(windows)-1]
		if err := in.Blocks(ctx, w, w.First, w.Addresses, func(*puzzle.Block) error { return nil }); err != nil {
			return puzzle.Tally{}, err
		}
	case "empty":
		return puzzle.Tally{}, nil
	}
	return puzzle.Tally{}, out.Block(&puzzle.Block{First: w.First, Addresses: int(w.Addresses), Occupied: []uint64{1}})
}

// A fleet plays queue and coordinator of one worker. It answers by its functions, where it has them, and writes down
// all that the worker does, with the seconds since the start.
type fleet struct {
	mu       sync.Mutex
	log      strings.Builder
	begin    time.Time
	joins    func(protocol.Join) (protocol.JoinResponse, error)
	beats    func(protocol.Heartbeat) (protocol.HeartbeatResponse, error)
	reports  func(protocol.Report) (protocol.Reply, error)
	parents  []protocol.Located
	tasks    []protocol.Task
	drops    chan protocol.Drop
	idle     chan struct{} // holds a token when the worker has no task: it gets one after the other
	queueErr error
}

func (f *fleet) say(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fmt.Fprintf(&f.log, "%g "+format+"\n", append([]any{time.Since(f.begin).Seconds()}, args...)...)
}

func (f *fleet) Join(_ context.Context, j protocol.Join) (protocol.JoinResponse, error) {
	f.say("join: %d held, more %t, page %d, epoch %d", len(j.Held), j.More, j.Page, j.Epoch)
	if f.joins != nil {
		return f.joins(j)
	}
	return protocol.JoinResponse{Epoch: 1}, nil
}

func (f *fleet) Heartbeat(_ context.Context, h protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
	draining := ""
	if h.Draining {
		draining = ", draining"
	}
	f.say("heartbeat: busy %d, doing %d, epoch %d, leaving %t%s", h.Busy, len(h.Doing), h.Epoch, h.Leaving, draining)
	if f.beats != nil {
		return f.beats(h)
	}
	return protocol.HeartbeatResponse{Epoch: 1, Stop: true}, nil
}

func (f *fleet) Locate(context.Context, puzzle.Cell) ([]protocol.Located, error) {
	f.say("locate")
	return f.parents, nil
}

func (f *fleet) Drops(ctx context.Context, fn func(protocol.Drop)) error {
	fn(protocol.Drop{})
	for {
		select {
		case d := <-f.drops:
			fn(d)
		case <-ctx.Done():
			return nil
		}
	}
}

func (f *fleet) Next(ctx context.Context) (protocol.Delivery, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-f.idle:
	}
	if len(f.tasks) > 0 {
		task := f.tasks[0]
		f.tasks = f.tasks[1:]
		return &given{delivery{&task}, f}, nil
	}
	if f.queueErr != nil {
		return nil, f.queueErr
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func (f *fleet) Report(_ context.Context, r protocol.Report) (protocol.Reply, error) {
	var list []string
	for _, d := range r.Done {
		text := fmt.Sprintf("%s %d rows", d.Record.ID(), d.Record.Rows)
		if d.Reused {
			text += " reused"
		}
		if d.Audit {
			text += " audit"
		}
		list = append(list, text+" "+d.Attempt)
	}
	for _, x := range r.Failures {
		text := fmt.Sprintf("%s %s %s", x.Window.ID(), x.Kind, x.Attempt)
		if x.Missing != nil {
			text += fmt.Sprintf(" %s loss %d of %v unreachable %t", x.Missing.ID(), x.Loss, x.Holders, x.Unreachable)
		}
		list = append(list, text)
	}
	f.say("report %d of epoch %d: %s", r.Number, r.Epoch, strings.Join(list, ", "))
	if f.reports != nil {
		return f.reports(r)
	}
	return protocol.Reply{}, nil
}

// given is a task in the worker's hands.
type given struct {
	delivery
	f *fleet
}

func (g *given) Ack() error { return g.end("ack") }
func (g *given) Nak() error { return g.end("nak") }

func (g *given) end(how string) error {
	g.f.say(how)
	g.f.idle <- struct{}{}
	return nil
}

func keyedWindow(key string, part int) puzzle.Window {
	return puzzle.Window{Cell: puzzle.Cell{Layer: 1, Key: key}, Part: part, First: uint64(10 * part), Addresses: 10}
}

// task is a task of epoch 1 with windows of these keys, numbered, each with an attempt.
func task(keys ...string) protocol.Task {
	t := protocol.Task{Run: "r1", Epoch: 1}
	for i, key := range keys {
		t.Windows = append(t.Windows, protocol.TaskWindow{Window: keyedWindow(key, i), Attempt: fmt.Sprintf("try%d", i)})
	}
	return t
}

// keyedParent is the parent cell a of layer 0, of one window, with these holders.
func keyedParent(rows uint64, loss int, holders ...string) []protocol.Located {
	w := puzzle.Window{Cell: puzzle.Cell{Key: "a"}, Addresses: 10}
	rec := kv.Record{Run: "r1", Window: w, Rows: rows, Blocks: rows, Bytes: rows}
	lw := protocol.LocatedWindow{Record: rec, Loss: loss}
	for _, name := range holders {
		lw.Holders = append(lw.Holders, protocol.Peer{Name: name})
	}
	return []protocol.Located{{Cell: w.Cell, Windows: []protocol.LocatedWindow{lw}}}
}

// newStore opens a store of run r1, which is closed at the end of the test.
func newStore(t *testing.T) *kv.Store {
	t.Helper()
	s, err := kv.Open(t.TempDir(), "r1", kv.Options{CacheBytes: 1 << 20, MemTableBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// store puts a window into a store.
func store(t *testing.T, s *kv.Store, w puzzle.Window) kv.Record {
	t.Helper()
	return storeAs(t, s, w, false)
}

func storeAs(t *testing.T, s *kv.Store, w puzzle.Window, copied bool) kv.Record {
	t.Helper()
	out := s.Begin(w)
	out.Copied = copied
	err := out.Block(&puzzle.Block{First: w.First, Addresses: int(w.Addresses), Occupied: []uint64{1}})
	rec, commitErr := out.Commit(puzzle.Tally{})
	if err := errors.Join(err, commitErr); err != nil {
		t.Fatal(err)
	}
	return rec
}

// stopAt answers heartbeats, and ends the run with the n-th.
func stopAt(n int) func(protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
	return func(protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
		n--
		return protocol.HeartbeatResponse{Epoch: 1, Stop: n <= 0}, nil
	}
}

// older is the part of a transcript in which a coordinator of epoch 1 is not believed at these times.
func older(times ...string) (text string) {
	for _, at := range times {
		text += at + " join: 0 held, more false, page 0, epoch 7\n" +
			at + " refused: a coordinator of epoch 1 answers, there was one of epoch 7\n"
	}
	return text
}

// TestServe lets a worker of one slot serve, and compares what it has done with a transcript.
func TestServe(t *testing.T) {
	const joined, stopped = "0 join: 0 held, more false, page 0, epoch 0\n",
		"2 heartbeat: busy 0, doing 0, epoch 1, leaving false\n"
	const left = "0 heartbeat: busy 0, doing 0, epoch 1, leaving true\n"
	for _, test := range []struct {
		name  string
		fleet func(f *fleet, s *kv.Store)
		want  string
		is    error
	}{
		{"windows", func(f *fleet, _ *kv.Store) {
			f.tasks = []protocol.Task{task("a", "a", "empty")}
			f.beats = stopAt(2)
		}, joined + "0 report 1 of epoch 1: 1/a/0 1 rows try0, 1/a/1 1 rows try1, 1/empty/2 0 rows try2\n0 told: 2\n0 ack\n" +
			stopped + "4 heartbeat: busy 0, doing 0, epoch 1, leaving false\n", nil},
		{"a window that takes its time", func(f *fleet, _ *kv.Store) {
			f.tasks, f.beats = []protocol.Task{task("waits")}, stopAt(2)
		}, joined + "2 heartbeat: busy 1, doing 1, epoch 1, leaving false\n3 report 1 of epoch 1: 1/waits/0 0 rows try0\n" +
			"3 ack\n4 heartbeat: busy 0, doing 0, epoch 1, leaving false\n", nil},
		{"failures", func(f *fleet, _ *kv.Store) {
			f.tasks = []protocol.Task{task("fails", "overflows", "foreign")}
			f.parents = keyedParent(1, 0, "x")
		}, joined + "0 locate\n0 report 1 of epoch 1: 1/fails/0 error try0, 1/overflows/1 overflow try1, " +
			"1/foreign/2 foreign try2\n0 ack\n" + stopped, nil},
		{"a full disk", func(f *fleet, _ *kv.Store) { f.tasks = []protocol.Task{task("full")} },
			joined + "0 report 1 of epoch 1: 1/full/0 disk-full try0\n0 ack\n0 nak\n" + left, kv.ErrDiskFull},
		{"a parent without rows", func(f *fleet, _ *kv.Store) {
			f.tasks, f.parents = []protocol.Task{task("reads", "reads")}, keyedParent(0, 0)
		}, joined + "0 locate\n0 report 1 of epoch 1: 1/reads/0 1 rows try0, 1/reads/1 1 rows try1\n0 told: 2\n" +
			"0 ack\n" + stopped, nil},
		{"a parent that is not where it should be", func(f *fleet, _ *kv.Store) {
			f.tasks, f.parents = []protocol.Task{task("reads")}, keyedParent(1, 5, "x", "y")
		}, joined + "0 locate\n0 report 1 of epoch 1: 1/reads/0 missing try0 0/a/0 loss 5 of [x y] unreachable false\n" +
			"0 ack\n" + stopped, nil},
		{"a parent without holders", func(f *fleet, _ *kv.Store) {
			f.tasks, f.parents = []protocol.Task{task("reads")}, keyedParent(1, 5)
		}, joined + "0 locate\n0 report 1 of epoch 1: 1/reads/0 missing try0 0/a/0 loss 4 of [] unreachable false\n" +
			"0 ack\n" + stopped, nil},
		{"a stored window, and an audit", func(f *fleet, s *kv.Store) {
			store(t, s, keyedWindow("a", 0))
			f.tasks = []protocol.Task{task("a"), task("a")}
			f.tasks[1].Windows[0].Audit = true
			f.reports = func(r protocol.Report) (protocol.Reply, error) {
				return protocol.Reply{Refused: map[uint64]string{1: "late"}[r.Number]}, nil
			}
		}, "0 join: 1 held, more false, page 0, epoch 0\n0 report 1 of epoch 1: 1/a/0 1 rows reused try0\n" +
			"0 passed over: late\n0 told: 1\n0 ack\n0 report 2 of epoch 1: 1/a/0 1 rows audit try0\n0 ack\n" + stopped, nil},
		{"a copy, which is no result of its own", func(f *fleet, s *kv.Store) {
			storeAs(t, s, keyedWindow("a", 0), true)
			f.tasks = []protocol.Task{task("a"), task("a")}
		}, "0 join: 1 held, more false, page 0, epoch 0\n0 report 1 of epoch 1: 1/a/0 1 rows try0\n0 told: 1\n0 ack\n" +
			"0 report 2 of epoch 1: 1/a/0 1 rows reused try0\n0 told: 1\n0 ack\n" + stopped, nil},
		{"tasks of others", func(f *fleet, _ *kv.Store) {
			for i, change := range []func(*protocol.Task){
				func(t *protocol.Task) { t.Run = "r2" }, func(t *protocol.Task) { t.To = "x" },
				func(t *protocol.Task) { t.Epoch = 0 }, func(t *protocol.Task) { t.To = "w" },
			} {
				f.tasks = append(f.tasks, task("a"))
				change(&f.tasks[i])
			}
		}, joined + "0 ack\n0 ack\n0 ack\n0 report 1 of epoch 1: 1/a/0 1 rows try0\n0 told: 1\n0 ack\n" + stopped, nil},
		{"a task of a later epoch", func(f *fleet, _ *kv.Store) {
			f.tasks = []protocol.Task{task("a")}
			f.tasks[0].Epoch = 3
			epoch := ^uint64(0)
			f.joins = func(protocol.Join) (protocol.JoinResponse, error) {
				epoch += 2
				return protocol.JoinResponse{Epoch: epoch}, nil
			}
			f.beats = func(protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
				return protocol.HeartbeatResponse{Epoch: 3, Stop: true}, nil
			}
		}, joined + "0 join: 0 held, more false, page 0, epoch 3\n0 report 1 of epoch 3: 1/a/0 1 rows try0\n0 told: 1\n" +
			"0 ack\n2 heartbeat: busy 0, doing 0, epoch 3, leaving false\n", nil},
		{"told to join and report again", func(f *fleet, _ *kv.Store) {
			f.tasks = []protocol.Task{task("a")}
			times := 0
			f.reports = func(protocol.Report) (protocol.Reply, error) {
				times++
				return protocol.Reply{Rejoin: times < 3}, nil
			}
		}, joined + "0 report 1 of epoch 1: 1/a/0 1 rows try0\n0.02 join: 1 held, more false, page 0, epoch 1\n" +
			"0.02 report 1 of epoch 1: 1/a/0 1 rows try0\n0.06 join: 1 held, more false, page 0, epoch 1\n" +
			"0.06 report 1 of epoch 1: 1/a/0 1 rows try0\n0.06 told: 1\n0.06 ack\n" + stopped, nil},
		{"a report too large", func(f *fleet, _ *kv.Store) {
			f.tasks = []protocol.Task{task("a", "a", "fails")}
			f.reports = func(r protocol.Report) (protocol.Reply, error) {
				if len(r.Done)+len(r.Failures) > 1 {
					return protocol.Reply{}, protocol.ErrTooLarge
				}
				return protocol.Reply{}, nil
			}
		}, joined + "0 report 1 of epoch 1: 1/a/0 1 rows try0, 1/a/1 1 rows try1, 1/fails/2 error try2\n" +
			"0 report 2 of epoch 1: 1/a/0 1 rows try0\n" +
			"0 report 3 of epoch 1: 1/a/1 1 rows try1, 1/fails/2 error try2\n" +
			"0 report 4 of epoch 1: 1/a/1 1 rows try1\n0 report 5 of epoch 1: 1/fails/2 error try2\n0 told: 2\n0 ack\n" +
			stopped, nil},
		{"a report too large of one window", func(f *fleet, _ *kv.Store) {
			f.tasks = []protocol.Task{task("a")}
			f.reports = func(protocol.Report) (protocol.Reply, error) { return protocol.Reply{}, protocol.ErrTooLarge }
		}, joined + "0 report 1 of epoch 1: 1/a/0 1 rows try0\n0 nak\n" + left, protocol.ErrTooLarge},
		{"dismissed by a report", func(f *fleet, _ *kv.Store) {
			f.tasks = []protocol.Task{task("a")}
			f.reports = func(protocol.Report) (protocol.Reply, error) { return protocol.Reply{Error: "why"}, nil }
		}, joined + "0 report 1 of epoch 1: 1/a/0 1 rows try0\n0 nak\n", ErrDismissed},
		{"over by a report", func(f *fleet, _ *kv.Store) {
			f.tasks = []protocol.Task{task("a")}
			f.reports = func(protocol.Report) (protocol.Reply, error) { return protocol.Reply{Stop: true}, nil }
		}, joined + "0 report 1 of epoch 1: 1/a/0 1 rows try0\n0 nak\n", nil},
		{"dismissed by a heartbeat", func(f *fleet, _ *kv.Store) {
			f.beats = func(protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
				return protocol.HeartbeatResponse{Epoch: 1, Stop: true, Error: "why"}, nil
			}
		}, joined + stopped, ErrDismissed},
		{"a queue that fails", func(f *fleet, _ *kv.Store) { f.queueErr = errQueue }, joined + left, errQueue},
		{"joins that are refused", func(f *fleet, _ *kv.Store) {
			times := 0
			f.joins = func(protocol.Join) (protocol.JoinResponse, error) {
				switch times++; times {
				case 1:
					return protocol.JoinResponse{}, errors.New("no link")
				case 2:
					return protocol.JoinResponse{Error: "not yet"}, nil
				}
				return protocol.JoinResponse{Epoch: 1}, nil
			}
			f.beats = func(protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
				return protocol.HeartbeatResponse{Epoch: 1, Stop: true}, nil
			}
		}, joined + "0 refused: no link\n0.02 join: 0 held, more false, page 0, epoch 0\n0.02 refused: run r1: not yet\n" +
			"0.06 join: 0 held, more false, page 0, epoch 0\n2.06 heartbeat: busy 0, doing 0, epoch 1, leaving false\n", nil},
		{"a coordinator that wants more heartbeats, then fewer, then more", func(f *fleet, _ *kv.Store) {
			joins := 0
			f.joins = func(protocol.Join) (protocol.JoinResponse, error) {
				joins++
				return protocol.JoinResponse{Epoch: uint64(joins), BeatMillis: []int64{0, 250, 0, 250}[joins]}, nil
			}
			beats := 0
			f.beats = func(protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
				beats++
				return protocol.HeartbeatResponse{Epoch: uint64(joins), Rejoin: beats == 2 || beats == 3, Stop: beats == 5}, nil
			}
		}, joined + "0.25 heartbeat: busy 0, doing 0, epoch 1, leaving false\n" +
			"0.5 heartbeat: busy 0, doing 0, epoch 1, leaving false\n" +
			"0.5 join: 0 held, more false, page 0, epoch 1\n" +
			"2.5 heartbeat: busy 0, doing 0, epoch 2, leaving false\n" +
			"2.5 join: 0 held, more false, page 0, epoch 2\n" +
			"2.5 heartbeat: busy 0, doing 0, epoch 3, leaving false\n" +
			"2.75 heartbeat: busy 0, doing 0, epoch 3, leaving false\n", nil},
		{"a join after the end", func(f *fleet, _ *kv.Store) {
			f.joins = func(protocol.Join) (protocol.JoinResponse, error) {
				return protocol.JoinResponse{Epoch: 1, Stop: true}, nil
			}
		}, joined, nil},
		{"a coordinator of an older epoch", func(f *fleet, _ *kv.Store) {
			// It is believed when no other has answered for ten seconds.
			f.joins = func(j protocol.Join) (protocol.JoinResponse, error) {
				return protocol.JoinResponse{Epoch: map[bool]uint64{true: 7, false: 1}[j.Epoch == 0]}, nil
			}
			f.beats = func(h protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
				return protocol.HeartbeatResponse{Epoch: 1, Rejoin: h.Epoch == 7, Stop: h.Epoch == 1}, nil
			}
		}, joined + "2 heartbeat: busy 0, doing 0, epoch 7, leaving false\n" +
			older("2", "2.02", "2.06", "2.14", "2.3", "2.62", "3.26", "4.54", "6.54", "8.54", "10.54") +
			"12.54 join: 0 held, more false, page 0, epoch 7\n12.54 heartbeat: busy 0, doing 0, epoch 1, leaving false\n", nil},
		{"one that does not know that it was replaced", func(f *fleet, _ *kv.Store) {
			f.joins = func(protocol.Join) (protocol.JoinResponse, error) { return protocol.JoinResponse{Epoch: 7}, nil }
			f.beats = func(protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
				epoch := map[bool]uint64{true: 1, false: 7}[time.Since(f.begin) < 3*time.Second]
				return protocol.HeartbeatResponse{Epoch: epoch, Stop: true}, nil
			}
		}, joined + "2 heartbeat: busy 0, doing 0, epoch 7, leaving false\n" +
			"4 heartbeat: busy 0, doing 0, epoch 7, leaving false\n", nil},
		{"heartbeats without an answer", func(f *fleet, _ *kv.Store) {
			times := 0
			f.beats = func(protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
				switch times++; times {
				case 1:
					return protocol.HeartbeatResponse{}, errors.New("no link")
				case 2:
					return protocol.HeartbeatResponse{Epoch: 1, Error: "busy"}, nil
				}
				return protocol.HeartbeatResponse{Epoch: 1, Stop: true}, nil
			}
		}, joined + stopped + "2 missed: no link\n4 heartbeat: busy 0, doing 0, epoch 1, leaving false\n4 missed: busy\n" +
			"6 heartbeat: busy 0, doing 0, epoch 1, leaving false\n", nil},
		{"told to drop windows", func(f *fleet, s *kv.Store) {
			a, b := store(t, s, keyedWindow("a", 0)), store(t, s, keyedWindow("b", 0))
			c := store(t, s, keyedWindow("c", 0))
			f.joins = func(protocol.Join) (protocol.JoinResponse, error) {
				// Since the inventory was made, c has other rows.
				out := s.Begin(c.Window)
				err := errors.Join(s.Drop(c.ID()), out.Block(&puzzle.Block{Addresses: 10, Occupied: []uint64{2}}))
				_, commitErr := out.Commit(puzzle.Tally{})
				drop := []puzzle.WindowID{a.ID(), keyedWindow("z", 0).ID(), c.ID()}
				return protocol.JoinResponse{Epoch: 1, Drop: drop}, errors.Join(err, commitErr)
			}
			f.drops = make(chan protocol.Drop, 5)
			f.beats = func(protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
				if time.Since(f.begin) < 3*time.Second {
					f.drops <- protocol.Drop{Run: "r1", Epoch: 1, Windows: []puzzle.WindowID{b.ID(), keyedWindow("y", 0).ID()}}
					f.drops <- protocol.Drop{Run: "r2", Epoch: 1}
				}
				return protocol.HeartbeatResponse{Epoch: 1, Stop: time.Since(f.begin) > 3*time.Second}, nil
			}
		}, "0 join: 3 held, more false, page 0, epoch 0\n" + stopped + "2 dropped 2\n" +
			"4 heartbeat: busy 0, doing 0, epoch 1, leaving false\nleft: 1/c/0\n", nil},
		{"the link was cut", func(f *fleet, _ *kv.Store) {
			f.drops = make(chan protocol.Drop, 5)
			f.drops <- protocol.Drop{Run: "r1", Epoch: 0}
		}, joined + "0 heartbeat: busy 0, doing 0, epoch 1, leaving false\n", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStore(t)
				f := &fleet{begin: time.Now(), idle: make(chan struct{}, 9)}
				f.idle <- struct{}{}
				test.fleet(f, s)
				err := Serve(t.Context(), Options{
					Name: "w", Run: "r1", Puzzle: keyed{}, Store: s, Queue: f, Coordinator: f, Events: Events{
						Refused:         func(err error) { f.say("refused: %v", err) },
						HeartbeatMissed: func(err error) { f.say("missed: %v", err) },
						Dropped:         func(n int) { f.say("dropped %d", n) },
						Committed:       func(list []protocol.Archived) { f.say("told: %d", len(list)) },
						ReportRefused:   func(reason string) { f.say("passed over: %s", reason) },
					},
				})
				if !errors.Is(err, test.is) || test.is == nil && err != nil {
					t.Errorf("%v, want %v", err, test.is)
				}
				if f.drops != nil {
					if err := s.Records(func(r kv.Record) error {
						_, err := fmt.Fprintf(&f.log, "left: %s\n", r.ID())
						return err
					}); err != nil {
						t.Error(err)
					}
				}
				if got := f.log.String(); got != test.want {
					t.Errorf("got\n%swant\n%s", got, test.want)
				}
			})
		})
	}
}

var errQueue = errors.New("the queue has failed")
