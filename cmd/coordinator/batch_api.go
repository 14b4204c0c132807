package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"pagoda/internal/app/api"
	"pagoda/internal/app/batch"
	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/output/render"
	"pagoda/internal/run/status"
)

// serveAPI begins to serve the API, if there is to be one.
func (p *pool) serveAPI(ctx context.Context) error {
	f := p.flags
	if f.api == "" {
		return nil
	}
	s := api.BatchServer{Guard: ops.Guard{Keys: f.Keys, Listen: f.api},
		Status:  func(ctx context.Context) (any, error) { return p.report(ctx) },
		Results: p.results, Export: p.export,
	}
	server, err := ops.Listen(ctx, f.api, f.ServerTLS(), s.Handler())
	if err != nil {
		return cli.Hint(&cli.UsageError{Err: err}, "give another --api address")
	}
	cli.Listening(p.display.log, "api", server.Address())
	p.ends = append(p.ends, server.Close)
	return nil
}

// ended takes notice of the end of the batch.
func (p *pool) ended(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over, p.failed = time.Now(), err
}

// state returns the batch, nil before it is read, the time of its end, and why it has failed.
func (p *pool) state() (b *batch.Batch, over time.Time, failed error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.batch, p.over, p.failed
}

// report is the answer of /v1/batch.
func (p *pool) report(ctx context.Context) (*batch.Report, error) {
	b, over, failed := p.state()
	r := &batch.Report{State: stateStarting, Status: batch.Status{Members: []batch.Standing{}},
		Updated: cmp.Or(over, time.Now())}
	if b != nil {
		r.State = status.StateRunning
		s, err := b.Status(ctx)
		if err != nil && failed == nil {
			return nil, err
		}
		r.Status = *s
	}
	if !over.IsZero() {
		r.State = status.StateComplete
	}
	if failed != nil {
		r.State, r.Error, r.Hint, r.Code = status.StateFailed, failed.Error(), cli.Advice(failed), cli.Code(failed)
		if r.Code == cli.Stopped {
			r.State = status.StateStopped
		}
	}
	return r, nil
}

var errNoBatch = cli.Hint(errors.New("there is no batch to read at the moment"), "ask for /v1/batch, which says why")

// results is the answer of /v1/results.
func (p *pool) results(ctx context.Context) ([]byte, error) {
	b, over, _ := p.state()
	switch {
	case b == nil:
		return nil, errNoBatch
	case over.IsZero():
		return nil, cli.Hint(errors.New("the batch has not ended"), "wait for its end, or export what it has so far")
	}
	return batchResults(ctx, b, render.Style{})
}

// export is the answer of /v1/export.
func (p *pool) export(ctx context.Context, what runs.Selection, w io.Writer) error {
	b, _, _ := p.state()
	if b == nil {
		return errNoBatch
	}
	if err := checkBatchFormat(what.Format); err != nil {
		return err
	}
	what.Table = cmp.Or(what.Table, batch.MembersTable)
	t, _, err := b.Table(ctx, what.Table)
	if err != nil {
		return err
	}
	return writeBatchTable(ctx, w, b, t, what)
}

// A batchReport is the report of the coordinator of a batch.
type batchReport struct {
	*batch.Report
	raw json.RawMessage // as it came
}

// askBatch asks a coordinator for the report of its batch.
func askBatch(ctx context.Context, c *api.Client) (*batchReport, error) {
	b, err := c.Batch(ctx)
	if err != nil {
		return nil, err
	}
	r := &batchReport{Report: &batch.Report{}, raw: b}
	if err := json.Unmarshal(b, r.Report); err != nil {
		return nil, fmt.Errorf("%s: its status: %w", c.Name(), err)
	}
	return r, nil
}

// Ended implements answer.
func (r *batchReport) Ended() (over bool, err error) {
	return api.Ended(r.State, r.Error, r.Hint, r.Code)
}

// Passing implements answer.
func (r *batchReport) Passing() bool { return r.Code == cli.Stopped }

func (r *batchReport) state() (state, trouble string) { return r.State, r.Error }
func (r *batchReport) id() string                     { return r.ID }
func (r *batchReport) text(style render.Style) []byte { return r.Text(style) }
func (r *batchReport) document() json.RawMessage      { return r.raw }

func (r *batchReport) event() string {
	return cmp.Or(r.Error, fmt.Sprintf("batch %s: %s", r.Batch, r.tally()))
}

// tally counts the members.
func (r *batchReport) tally() *listedMembers {
	m := &listedMembers{All: len(r.Members), Complete: r.Complete, Failed: []string{}}
	for i := range r.Members {
		if r.Members[i].State == status.StateFailed {
			m.Failed = append(m.Failed, r.Members[i].Member)
		}
	}
	return m
}
