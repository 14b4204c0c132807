package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/fleet/archive"
	"pagoda/internal/fleet/objects"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/rundir"
)

// archiveTime bounds the check of the archive before a run begins.
const archiveTime = 10 * time.Second

// checkArchive returns an error if the run cannot use its archive, or if --from is given and the archive has no ledger
// of the run. Without --from, an archive that does not answer is no error: it may come back, and the run does not wait
// for it.
func checkArchive(ctx context.Context, j *runs.Job, f *runFlags) error {
	url := j.Config.Text("archive")
	if url == "" {
		return nil
	}
	if !f.fleet() {
		return usage("archive: a run in one process has its rows beside its ledger, and no archive",
			"add --listen or --nats, or leave archive out with --set archive=")
	}
	a, err := archive.Open(url, j.ID)
	if err != nil {
		return fmt.Errorf("archive: %w", adviseKeys(err))
	}
	ctx, cancel := context.WithTimeout(ctx, archiveTime)
	defer cancel()
	err = a.Check(ctx)
	if err == nil && f.from != "" {
		if err := checkFrom(ctx, a, j.ID, url); err != nil {
			return err
		}
	}
	if err == nil {
		err = a.CheckLedger(ctx)
	}
	switch {
	case errors.Is(err, archive.ErrUnconditional):
		return cli.Hint(&cli.UsageError{Err: fmt.Errorf("archive: %w", err)}, "take another server, or leave archive out")
	case errors.Is(err, objects.ErrDenied), err != nil && f.from != "":
		return fmt.Errorf("archive: %w", adviseObject(err))
	}
	return nil
}

// checkFrom returns an error unless the archive has a ledger of a run.
func checkFrom(ctx context.Context, a *archive.Archive, run, url string) error {
	all, err := a.Runs(ctx)
	if err != nil {
		return fmt.Errorf("--from: %w", adviseObject(err))
	}
	if slices.Contains(all, run) {
		return nil
	}
	const most = 3
	there := "it has no ledger at all"
	if len(all) > 0 {
		there = "it has those of " + strings.Join(all[:min(most, len(all))], ", ")
		if len(all) > most {
			there += fmt.Sprintf(" and %d more", len(all)-most)
		}
	}
	return usage(fmt.Sprintf("--from %s: there is no ledger of run %s: %s", url, run, there),
		"check bucket and prefix, and that config and --set are those of the run; to begin it, give --set archive="+url)
}

// openArchive opens the archive of a run, if it has one, and its ledger there.
func (l *leader) openArchive(ctx context.Context) (err error) {
	url := l.Config.Text("archive")
	if url == "" {
		return nil
	}
	if l.archive, err = archive.Open(url, l.ID); err != nil {
		return err // it could be opened when the run was checked
	}
	l.ledger, err = l.archive.Ledger(ctx, l.folder.Ledger, archive.LedgerOptions{
		Must: l.flags.from != "", Info: rundir.AuditsName, Merge: l.folder.MergeAudits,
		Restored: func(windows int) {
			l.log.Info("the ledger was restored from the archive", "windows", windows, "archive", l.ledger.String())
		},
		Damaged: func(url string, err error) {
			l.log.Warn("a part of the ledger in the archive is damaged; windows that the folder lacks are computed again",
				"object", url, ops.ErrorKey, err)
		},
		Trouble: func(err error) {
			if err != nil {
				l.log.Warn("the ledger cannot be written to the archive, trying again", ops.ErrorKey, err)
			} else {
				l.log.Info("the ledger is written to the archive again")
			}
		},
	})
	return err
}

// archivedLedger is a ledger in an archive, as the engine wants it.
type archivedLedger struct{ *archive.Ledger }

// RaiseEpoch implements engine.Ledger.
func (l archivedLedger) RaiseEpoch(above uint64) (uint64, error) {
	epoch, err := l.Ledger.RaiseEpoch(above)
	if after := (*archive.Succeeded)(nil); errors.As(err, &after) {
		err = fmt.Errorf("%w: %w", coordinator.ErrFenced, err)
	}
	return epoch, adviseObject(err)
}

// ledgerTime bounds the time in which a coordinator that ends brings the rest of its ledger to the archive.
const ledgerTime = 20 * time.Second

// settle brings the rest of the ledger to the archive.
func (l *leader) settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ledgerTime)
	defer cancel()
	if left := l.ledger.Drain(ctx); left > 0 {
		l.log.Warn("changes of the ledger are left that the archive does not have", "changes", left)
	}
}
