package runs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"pagoda/internal/app/cli"
	"pagoda/internal/output/book"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/run/certificate"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/status"
)

// Record makes the record of a complete run from its folder, which is not changed.
func (l Loader) Record(ctx context.Context, dir string) (*book.Record, error) {
	s, err := l.Peek(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if !s.Results.Complete() {
		return nil, cli.Hint(fmt.Errorf("%s: run %s: %w", dir, s.ID, puzzle.ErrIncomplete),
			"run the config again to resume, or leave it out")
	}
	return s.Record(ctx)
}

// Record makes the record of a complete run.
func (s *Stored) Record(ctx context.Context) (*book.Record, error) {
	look, err := rundir.LookAt(s.Dir, s.Puzzle)
	if err != nil {
		return nil, cli.AdviseFolder(err, s.Dir)
	}
	c, err := s.certified()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Dir, err)
	}
	sum, err := s.Puzzle.Summarise(s.Results)
	if err != nil {
		return nil, err
	}
	sum.Problem = s.Problem
	about, err := s.Definition.About(s.Config)
	if err != nil {
		return nil, err
	}
	figures, err := s.figures(ctx)
	if err != nil {
		return nil, err
	}
	config, err := s.Essence()
	if err != nil {
		return nil, err
	}
	return book.New(s.Config.Text("name"), about, &sum, append(about.Figures, figures...), string(config),
		computed(look.Last, &look.Status), c), nil
}

// figures are those of the questions that the results answer, without arguments and without rows.
func (s *Stored) figures(ctx context.Context) (list []figure.Figure, err error) {
	for i := range s.Definition.Questions {
		q := &s.Definition.Questions[i]
		if q.Needs != puzzle.NeedsResults || !slices.Contains(q.Outputs, puzzle.Pictures) || q.CheckArgs(nil) != nil {
			continue
		}
		r, err := q.Request(nil, nil)
		if err != nil {
			return nil, err
		}
		answer, err := s.Ask(ctx, q, r)
		switch {
		case errors.Is(err, puzzle.ErrNotAsked):
		case err != nil:
			return nil, err
		default:
			list = append(list, answer.Figures...)
		}
	}
	return list, nil
}

// certified is the certificate in the folder, which must be that of the windows there.
func (s *Stored) certified() (*certificate.Certificate, error) {
	const again = "coordinator verify reads the run, and writes its certificate"
	c, err := ReadCertificate(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cli.Hint(fmt.Errorf("run %s has no certificate", s.ID), again)
	}
	if err != nil {
		return nil, cli.Hint(fmt.Errorf("certificate: %w: %w", cli.ErrUnverified, err), again)
	}
	ours, err := s.Certificate(s.Folder, s.Results, c.Program, certificate.Checks{})
	if err != nil {
		return nil, err
	}
	if d := certificate.Compare(ours, c); d != nil {
		return nil, cli.Hint(fmt.Errorf("certificate: %w: it is not of the windows in the folder: %s", cli.ErrUnverified, d),
			again)
	}
	c.Columns = ours.Columns // an older certificate has none
	return c, nil
}

// computed says how a run was carried out, where the status file is of the process that carried out all of it.
func computed(last, now *status.Status) *book.Computed {
	if last == nil || last.State != status.StateComplete || last.Committed != now.Windows {
		return nil
	}
	c := &book.Computed{
		Completed: last.Updated.UTC().Format(time.DateOnly), Millis: last.Updated.Sub(last.Started).Milliseconds(),
		Workers: max(len(last.Workers), 1), Bytes: now.Bytes,
	}
	c.Used = (*book.Used)(last.Used)
	for _, w := range last.Workers {
		c.Slots += w.Concurrency
		if w.Name != protocol.OwnWorker {
			c.Used = nil // what that process used is not in it
		}
	}
	c.Slots = max(c.Slots, last.Concurrency, 1)
	return c
}

// CheckRecord compares a record with its puzzle: the certificate must be one of its settings, see [Loader.Certified],
// and the config must give the same run. Errors wrap book.ErrRecord.
func (l Loader) CheckRecord(ctx context.Context, r *book.Record) error {
	bad := func(err error) error { return fmt.Errorf("%w: %w", book.ErrRecord, err) }
	j, _, err := l.Certified(ctx, r.Certificate)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return bad(err)
	}
	own, err := l.Parse(ctx, "config", []byte(r.Config))
	if err == nil {
		err = own.as(ctx, r.Certificate.Run)
	}
	if err != nil {
		return bad(err)
	}
	if own.ID != j.ID {
		return bad(fmt.Errorf("its config is of run %s, and its certificate of %s", own.ID, j.ID))
	}
	about, err := j.Definition.About(j.Config)
	if err != nil {
		return err
	}
	if r.Puzzle != about.Puzzle || r.Board != about.Board {
		return bad(fmt.Errorf("it is about %s, %s, and its settings about %s, %s", r.Puzzle, r.Board, about.Puzzle,
			about.Board))
	}
	return nil
}
