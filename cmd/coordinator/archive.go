package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pagoda/internal/app/runs"
	"pagoda/internal/fleet/archive"
	"pagoda/internal/fleet/objects"
)

// archiveTime bounds the check of the archive before a run begins.
const archiveTime = 10 * time.Second

// checkArchive returns an error if the run cannot use its archive. An archive that does not answer is no error: it may
// come back, and the run does not wait for it.
func checkArchive(ctx context.Context, j *runs.Job, fleet bool) error {
	url := j.Config.Text("archive")
	if url == "" {
		return nil
	}
	if !fleet {
		return usage("archive: a run in one process has its rows beside its ledger, and no archive",
			"add --listen or --nats, or leave archive out with --set archive=")
	}
	a, err := archive.Open(url, j.ID)
	if err != nil {
		return fmt.Errorf("archive: %w", adviseKeys(err))
	}
	ctx, cancel := context.WithTimeout(ctx, archiveTime)
	defer cancel()
	if err := a.Check(ctx); errors.Is(err, objects.ErrDenied) {
		return fmt.Errorf("archive: %w", adviseObject(err))
	}
	return nil
}
