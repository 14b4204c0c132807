package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"pagoda/internal/run/compute"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/protocol"
)

// lead runs a coordinator, ServeMessages and the worker of this process. The coordinator outlives both, so that workers
// in this process can settle the tasks in their hands.
func (r *run) lead(ctx context.Context, coord *coordinator.Coordinator, link protocol.CoordinatorClient) error {
	coordCtx, stopCoord := context.WithCancel(context.WithoutCancel(ctx))
	defer stopCoord()
	serveCtx, stopServe := context.WithCancel(context.WithoutCancel(ctx))
	defer stopServe()
	served := make(chan error, 1)
	go func() {
		defer stopServe()
		served <- r.serve(serveCtx, ctx, coord, link)
	}()
	coord.WakeWorkers() // workers of the coordinator before this one
	led := make(chan error, 1)
	go func() {
		defer stopServe()
		led <- coord.Run(coordCtx)
	}()
	var unexported error
	select {
	case <-coord.Over():
		if coord.Finished() {
			if unexported = r.export(ctx, serveCtx, coord); unexported != nil {
				break // to workers the run is not over
			}
			r.complete(coord)
			if r.o.Fleet.Linger {
				r.linger(ctx, serveCtx)
			}
			coord.Release()
		}
		coord.DrainWorkers(serveCtx, r.o.ShutdownTimeout)
	case <-ctx.Done():
	case <-serveCtx.Done():
	}
	stopServe()
	serveErr := <-served
	stopCoord()
	err := <-led
	switch {
	case err != nil:
		return err // an error of ServeMessages or the worker follows from it
	case unexported != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	case unexported != nil && serveErr != nil:
		return serveErr
	case unexported != nil:
		return unexported
	case coord.Finished():
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case serveErr != nil:
		return serveErr
	}
	return errors.New("whatever carries the messages of the run has ended")
}

// export runs Options.Export, until one of the contexts is done.
func (r *run) export(ctx, serveCtx context.Context, coord *coordinator.Coordinator) error {
	if r.o.Export == nil {
		return nil
	}
	now := time.Now()
	r.rep.exporting.Store(&now)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(serveCtx, stop)()
	return r.o.Export(ctx, coord)
}

// linger returns when a complete run has stayed for its time, or one of the contexts is done.
func (r *run) linger(ctx, serveCtx context.Context) {
	var over <-chan time.Time // never
	if r.o.Fleet.LingerFor > 0 {
		t := time.NewTimer(r.o.Fleet.LingerFor)
		defer t.Stop()
		over = t.C
	}
	select {
	case <-over:
	case <-ctx.Done():
	case <-serveCtx.Done():
	}
}

func (r *run) complete(coord *coordinator.Coordinator) {
	r.rep.complete.Store(true)
	if r.o.OnComplete != nil {
		r.o.OnComplete(coord.Results())
	}
}

// serve runs ServeMessages until ctx is done, and the worker of this process until ctx or caller is, or until one of
// them fails.
func (r *run) serve(
	ctx, caller context.Context,
	coord *coordinator.Coordinator,
	link protocol.CoordinatorClient,
) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		if r.o.ServeMessages != nil {
			return r.o.ServeMessages(ctx, coord)
		}
		<-ctx.Done()
		return nil
	})
	if r.o.Concurrency > 0 {
		g.Go(func() error {
			// The worker's context is the caller's own, so that its computations stop in the moment when that is done.
			work, stop := context.WithCancel(caller)
			defer stop()
			defer context.AfterFunc(ctx, stop)()
			return r.work(work, link)
		})
	}
	return g.Wait()
}

// work runs the worker of this process.
func (r *run) work(ctx context.Context, link protocol.CoordinatorClient) error {
	serve := r.o.Worker
	if serve == nil {
		serve = r.compute
	}
	err := serve(ctx, link)
	if errors.Is(err, compute.ErrDismissed) {
		return nil // the coordinator knows why
	}
	if err != nil {
		return fmt.Errorf("worker %s: %w", protocol.OwnWorker, err)
	}
	return nil
}

// compute computes windows in the store of the folder.
func (r *run) compute(ctx context.Context, link protocol.CoordinatorClient) error {
	return compute.Serve(ctx, compute.Options{
		Name: protocol.OwnWorker, Run: r.folder.Meta.Run, Concurrency: r.o.Concurrency, Puzzle: r.puzzle,
		Store: r.folder.Store, Queue: r.o.Work, Coordinator: link, CacheBytes: r.o.CacheBytes,
		MemoryBytes: r.o.Budget.Total(), MemoryOf: r.o.Budget.Of,
	})
}
