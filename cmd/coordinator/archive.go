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

// archiveTime is how long the archive has to say, before a run begins, that it can be read.
const archiveTime = 10 * time.Second

// checkArchive says what is wrong with the archive that a run is to have. One that is merely away is no reason not to
// begin: it may come back, and nobody waits for it.
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
