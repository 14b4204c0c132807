package natsqueue

import (
	"context"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"pagoda/internal/run/protocol"
)

// BenchmarkTaskAcross is one task's way through the queue between two connections over TLS, directed to its worker:
// submitted, taken, reported, answered, acknowledged.
func BenchmarkTaskAcross(b *testing.B) {
	g := guard(b, "r1")
	ctx, cancel := context.WithCancel(b.Context())
	g.tasks.Close()
	nc, _ := g.dial(b, "coordinator")
	tasks, err := NewTasks(ctx, nc, "r1", TaskOptions{Storage: jetstream.MemoryStorage})
	if err != nil {
		b.Fatal(err)
	}
	served := make(chan error, 1)
	go func() {
		served <- tasks.Serve(ctx, func(context.Context, protocol.Report) protocol.Reply { return protocol.Reply{} })
	}()
	wc, _ := g.dial(b, "worker")
	name := g.named(b, "worker", "w")
	work, err := NewWork(wc, "r1", name, WorkOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	go func() {
		for i := 0; i < b.N; i += 4 {
			var ts []protocol.Task
			for j := i; j < min(i+4, b.N); j++ {
				ts = append(ts, someTask("r1", fmt.Sprintf("t%d", j), name))
			}
			if err := tasks.Submit(ctx, ts); err != nil {
				b.Error(err)
				return
			}
		}
	}()
	for range b.N {
		d, err := work.Next(ctx)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := work.Report(ctx, protocol.Report{Run: "r1", Worker: name}); err != nil {
			b.Fatal(err)
		}
		if err := d.Ack(); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	work.Close()
	cancel()
	if err := <-served; err != nil {
		b.Error(err)
	}
}
