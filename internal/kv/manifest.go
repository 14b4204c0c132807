package kv

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/kv/guard"
)

const (
	manifestMarker = "marker.manifest."
	firstManifest  = "MANIFEST-000001"
)

// checkManifest checks the parts of a folder's manifest that Pebble takes on trust. Errors about the content wrap
// ErrCorrupt.
//
// A crash may cut off the last record. Its change was then not yet confirmed to any caller, so the logs and tables from
// before it are still there. A crash cannot cut off the beginning: a manifest is put in place when its first two
// records are durable, a snapshot of all tables and a change with the last sequence number. The very first manifest has
// no tables to tell of and begins with one record.
func checkManifest(fsys vfs.FS, dir string) error {
	names, err := fsys.List(dir)
	if err != nil {
		return err
	}
	name, iteration := "", ""
	for _, n := range names {
		rest, ok := strings.CutPrefix(n, manifestMarker)
		if !ok {
			continue
		}
		// Iterations have six digits; a folder that has been opened a million times is no reason to fail.
		it, value, _ := strings.Cut(rest, ".")
		if len(it) > len(iteration) || len(it) == len(iteration) && it > iteration {
			name, iteration = value, it
		}
	}
	if name == "" {
		return checkUnmarked(names)
	}
	f, err := fsys.Open(fsys.PathJoin(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		if name == firstManifest && !hasData(names) {
			return errUnmade
		}
		return fmt.Errorf("%w: file %s is missing", ErrCorrupt, name)
	}
	if err != nil {
		return err
	}
	defer free(f)
	records, err := countRecords(f)
	if err != nil {
		return err
	}
	if records == 0 || records == 1 && name != firstManifest {
		return fmt.Errorf("%w: file %s has %d of its first records", ErrCorrupt, name, records)
	}
	return nil
}

// errUnmade says of a folder that its making was cut off between the marker and the first manifest: Pebble makes both
// durable with one sync of the folder, and a crash before that may leave either. Nothing was ever written to it.
var errUnmade = errors.New("the making of the folder was cut off")

// hasData reports whether one of these files is made only after the first manifest is durable.
func hasData(names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		return !strings.HasPrefix(n, "marker.") && (guard.DatabaseFile(n) || strings.HasSuffix(n, segmentSuffix))
	})
}

// unmake removes the marker for a first manifest that is not there, so that the folder counts as new.
func unmake(fsys vfs.FS, dir string) error {
	names, err := fsys.List(dir)
	if err != nil {
		return err
	}
	for _, n := range names {
		if strings.HasPrefix(n, manifestMarker) {
			if err := fsys.Remove(fsys.PathJoin(dir, n)); err != nil {
				return err
			}
		}
	}
	return guard.SyncDir(fsys, dir)
}

// checkUnmarked checks a folder without a marker for its manifest, which Pebble takes for a new one: one whose making
// was cut off has nothing but the first manifest.
func checkUnmarked(names []string) error {
	for _, n := range names {
		if n != firstManifest && (guard.DatabaseFile(n) || strings.HasSuffix(n, segmentSuffix)) {
			return fmt.Errorf("%w: the marker that names its manifest is missing, beside file %s", ErrCorrupt, n)
		}
	}
	return nil
}

// countRecords counts the records of a manifest up to its end, or to the first damaged one.
func countRecords(r io.Reader) (n int, err error) {
	records := record.NewReader(r, 0)
	for {
		one, err := records.Next()
		if err == nil {
			_, err = io.Copy(io.Discard, one)
		}
		switch {
		case errors.Is(err, io.EOF) || record.IsInvalidRecord(err):
			return n, nil
		case err != nil:
			return n, err
		}
		n++
	}
}
