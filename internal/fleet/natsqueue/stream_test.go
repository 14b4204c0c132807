package natsqueue

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
)

func startLocal(t *testing.T, run string) *Local {
	t.Helper()
	l, err := Start(t.Context(), LocalOptions{Run: run, Dir: filepath.Join(t.TempDir(), "queue")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// saboteur is a puzzle that does something to the queue now and then.
type saboteur struct {
	puzzle.Puzzle
	computed atomic.Int64
	every    int64
	do       func(context.Context) error
}

func (s *saboteur) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (puzzle.Tally, error) {
	if s.computed.Add(1)%s.every == 0 {
		if err := s.do(ctx); err != nil {
			return puzzle.Tally{}, err
		}
	}
	return s.Puzzle.Compute(ctx, w, in, out)
}

// TestQueueIsRebuilt empties, deletes and maims the stream in the middle of a run, again and again.
func TestQueueIsRebuilt(t *testing.T) {
	p := &enginetest.Pascal{Depth: 7, Slots: 201, Window: 40}
	m := rundir.NewMeta(p.Identity(), "")
	for what, do := range map[string]func(ctx context.Context, l *Local) error{
		"purge": func(ctx context.Context, l *Local) error {
			s, err := l.Tasks.js.Stream(ctx, streamName(m.Run))
			if err == nil {
				err = s.Purge(ctx)
			}
			return err
		},
		"delete stream": func(ctx context.Context, l *Local) error {
			return l.Tasks.js.DeleteStream(ctx, streamName(m.Run))
		},
		"delete consumer": func(ctx context.Context, l *Local) error {
			return l.Tasks.js.DeleteConsumer(ctx, streamName(m.Run), consumerAny)
		},
		"rubbish": func(ctx context.Context, l *Local) error {
			_, err := l.Tasks.js.Publish(ctx, anySubject(m.Run), []byte(`{"run":"../x","id":"1"}`))
			return err
		},
		"rubbish reports": func(_ context.Context, l *Local) error {
			return errors.Join(
				l.Tasks.nc.Publish(reportSubject(m.Run, noKey), []byte(`{"run":7}`)),
				l.Tasks.nc.Publish(reportSubject(m.Run, noKey), nil),
			)
		},
		"duplicates": func(ctx context.Context, l *Local) error {
			task := protocol.Task{Run: m.Run, ID: "again" + time.Now().String(), Windows: []protocol.TaskWindow{
				{Window: puzzle.Window{Cell: puzzle.Cell{Key: "k0"}, Addresses: 40}},
			}}
			return l.Tasks.Submit(ctx, []protocol.Task{task})
		},
		"another run's task": func(ctx context.Context, l *Local) error {
			task := protocol.Task{Run: "stranger", ID: "s" + time.Now().String(), Windows: []protocol.TaskWindow{
				{Window: puzzle.Window{Cell: puzzle.Cell{Key: "k0"}, Addresses: 40}},
			}}
			return l.Tasks.Submit(ctx, []protocol.Task{task})
		},
	} {
		t.Run(what, func(t *testing.T) {
			small := kv.Options{CacheBytes: 1 << 20, MemTableBytes: 1 << 20}
			f, err := rundir.Create(t.TempDir(), m, rundir.FolderOptions{Store: small, Ledger: small})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			})
			l := startLocal(t, m.Run)
			s := &saboteur{Puzzle: p, every: 25, do: func(ctx context.Context) error {
				err := do(ctx, l)
				if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrConsumerNotFound) {
					return nil // it had not been rebuilt since the last time
				}
				return err
			}}
			out, err := engine.Run(t.Context(), s, f, engine.Options{Tasks: l.Tasks, Work: l.Work,
				Concurrency: 2, TaskTime: 1, WatchEvery: 20 * time.Millisecond,
			})
			if err != nil || !out.Results.Complete() {
				t.Fatal(err)
			}
			sum, err := p.Summarise(out.Results)
			if err != nil {
				t.Fatal(err)
			}
			want := p.Reference()
			for _, f := range sum.Facts {
				if want[f.Name] != f.Value.N {
					t.Fatalf("%s is %v, want %v", f.Name, f.Value.N, want[f.Name])
				}
			}
			if len(sum.Facts) != len(want) {
				t.Fatalf("%d facts, want %d", len(sum.Facts), len(want))
			}
		})
	}
}
