package compute

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// counted counts how a task is settled.
type counted struct {
	delivery
	progress, naks *int
}

func (c counted) Progress()  { *c.progress++ }
func (c counted) Nak() error { *c.naks++; return nil }

// finishedTasks are tasks of two windows each, the first of which is written and not committed. unlocked counts the
// windows that were unlocked.
func finishedTasks(t *testing.T, s *kv.Store, n int, unlocked, progress, naks *int) (group []*finished) {
	t.Helper()
	for i := range n {
		f := &finished{d: counted{progress: progress, naks: naks}}
		for part := range 2 {
			it := item{window: keyedWindow("a", 2*i+part), unlock: func() { *unlocked++ }}
			if part == 0 {
				it.writer = s.Begin(it.window)
				if err := it.writer.Block(&puzzle.Block{First: it.window.First, Addresses: 10, Occupied: []uint64{1}}); err != nil {
					t.Fatal(err)
				}
			}
			f.items = append(f.items, it)
		}
		group = append(group, f)
	}
	return group
}

// TestCommitGroup: all windows of all tasks of a group are settled, those that were computed are in the store, and
// every task says that it makes progress.
func TestCommitGroup(t *testing.T) {
	s := newStore(t)
	w := newWorker(&Options{Name: "w", Run: "r1", Concurrency: 1, Store: s}, nil)
	var unlocked, progress, naks int
	all := w.commit(finishedTasks(t, s, 3, &unlocked, &progress, &naks))
	for i := range all {
		id := keyedWindow("a", i).ID()
		rec, found, err := s.Record(id)
		if err != nil || all[i].failure != nil || all[i].window.ID() != id {
			t.Fatalf("item %d is %v: %v, %v", i, all[i].window, all[i].failure, err)
		}
		if computed := i%2 == 0; found != computed || computed && !rec.SameContent(&all[i].record) {
			t.Errorf("item %d: in the store %t, %+v, reported %+v", i, found, rec, all[i].record)
		}
	}
	if len(all) != 6 || unlocked != 6 || progress != 3 || naks != 0 {
		t.Errorf("%d items, %d unlocked, %d tasks in progress, %d given back", len(all), unlocked, progress, naks)
	}
}

// heard is a queue that keeps the last report.
type heard struct {
	protocol.WorkQueue
	last protocol.Report
}

func (q *heard) Report(_ context.Context, r protocol.Report) (protocol.Reply, error) {
	q.last = r
	return protocol.Reply{}, nil
}

// TestWaitMillis: a report says how long the first of its tasks has waited for the disk.
func TestWaitMillis(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := new(heard)
		w := newWorker(&Options{Name: "w", Run: "r1", Concurrency: 1, Store: newStore(t), Queue: q}, &session{})
		var unlocked, progress, naks int
		group := finishedTasks(t, w.o.Store, 3, &unlocked, &progress, &naks)
		for _, f := range group {
			f.ended = time.Now()
			time.Sleep(time.Second)
		}
		if err := w.commitGroup(t.Context(), group); err != nil {
			t.Fatal(err)
		}
		if q.last.WaitMillis != 3000 || len(q.last.Done) != 6 {
			t.Errorf("%d windows have waited for %d ms", len(q.last.Done), q.last.WaitMillis)
		}
	})
}

// TestAbandon: a worker that can no longer report unlocks all windows of all tasks, gives the tasks back, and makes
// room for others.
func TestAbandon(t *testing.T) {
	s := newStore(t)
	w := newWorker(&Options{Name: "w", Run: "r1", Concurrency: 1, Store: s}, nil)
	var unlocked, progress, naks int
	for _, f := range finishedTasks(t, s, 3, &unlocked, &progress, &naks) {
		w.tokens <- struct{}{}
		w.computed <- f
		for i := range f.items {
			if f.items[i].writer != nil {
				defer f.items[i].writer.Abort()
			}
		}
	}
	close(w.computed)
	if err := w.abandon(errQueue); !errors.Is(err, errQueue) {
		t.Errorf("abandoned: %v", err)
	}
	if unlocked != 6 || naks != 3 || len(w.tokens) != 0 {
		t.Errorf("%d windows unlocked, %d tasks given back, %d in hand", unlocked, naks, len(w.tokens))
	}
}

// TestOutlive: a context goes on for a time after its parent, and ends at once where it is cancelled.
func TestOutlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := outlive(t.Context(), time.Second)
		if cancel(); ctx.Err() == nil {
			t.Error("cancelled, it goes on")
		}
		parent, end := outlive(t.Context(), 0)
		ctx, cancel = outlive(parent, time.Second)
		defer cancel()
		end()
		if time.Sleep(time.Second - 1); ctx.Err() != nil {
			t.Error("it ends with its parent")
		}
		time.Sleep(time.Nanosecond)
		if synctest.Wait(); ctx.Err() == nil {
			t.Error("it goes on after its time")
		}
	})
}

// TestInventoryInPages: an inventory of more windows than a message may have goes in pages, each with its number.
func TestInventoryInPages(t *testing.T) {
	s := newStore(t)
	const windows = protocol.MaxHeldPage + 1
	all := make([]*kv.Finished, windows)
	for i := range all {
		all[i] = &kv.Finished{Writer: s.Begin(keyedWindow("empty", i))}
	}
	s.CommitAll(all...)
	for _, c := range all {
		if c.Err != nil {
			t.Fatal(c.Err)
		}
	}
	var pages, held []int
	var more []bool
	f := &fleet{begin: time.Now()}
	f.joins = func(j protocol.Join) (protocol.JoinResponse, error) {
		pages, held, more = append(pages, j.Page), append(held, len(j.Held)), append(more, j.More)
		return protocol.JoinResponse{Epoch: 1}, nil
	}
	o := Options{Name: "w", Run: "r1", Store: s, Coordinator: f}
	j, err := (&session{o: o}).sendInventory(t.Context())
	if err != nil || j.Held != windows || j.Epoch != 1 {
		t.Errorf("joined with %d windows in epoch %d: %v", j.Held, j.Epoch, err)
	}
	if !slices.Equal(pages, []int{0, 1}) || !slices.Equal(held, []int{windows - 1, 1}) ||
		!slices.Equal(more, []bool{true, false}) {
		t.Errorf("pages %v of %v windows, more to come %v", pages, held, more)
	}
}

// TestTaskThatNoSlotTakes: told to stop, a worker gives back the task that it has taken ahead of its slots.
func TestTaskThatNoSlotTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fleet{begin: time.Now(), idle: make(chan struct{}, 2), tasks: []protocol.Task{task("a")}}
		f.idle <- struct{}{}
		w := newWorker(&Options{Name: "w", Run: "r1", Puzzle: keyed{}, Concurrency: 1, Queue: f, Coordinator: f}, nil)
		turns := make(chan struct{}, 1)
		turns <- struct{}{}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := w.take(ctx, new(near), turns, make(chan protocol.Delivery))
		if got := f.log.String(); err != nil || got != "1 nak\n" || len(w.tokens) != 0 {
			t.Errorf("%v, said %q, %d tasks in hand", err, got, len(w.tokens))
		}
	})
}
