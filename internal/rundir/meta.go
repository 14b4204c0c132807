package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pagoda/internal/kv"
	"pagoda/internal/protocol"
	"pagoda/internal/puzzle"
	"pagoda/internal/readfile"
)

// Names in a data folder.
const (
	metaName   = "run.json"    // whose folder it is
	statusName = "status.json" // how far a live run is, rewritten every second
	ledgerName = "ledger"
	storeName  = "store"
	certName   = "certificate.json" // of a complete run
)

const maxMetaBytes = 1 << 20

var (
	// ErrNoRun is wrapped when a folder holds no run.
	ErrNoRun = errors.New("no run is stored there")

	// ErrOccupied is wrapped when a folder that was to hold a new run holds something else.
	ErrOccupied = errors.New("folder is not empty and holds no run")
)

// Meta says whose a data folder is. It is stored in the folder as run.json, can be read while the run is live, and
// never changes.
type Meta struct {
	Run    string         `json:"run"`
	Format int            `json:"format"`
	Puzzle string         `json:"puzzle"`
	Params []puzzle.Param `json:"params"`
	// Config is the caller's own text, from which it can build the puzzle again.
	Config string `json:"config"`
}

// NewMeta describes the run of an identity.
func NewMeta(id puzzle.Identity, config string) Meta {
	return Meta{
		Run: RunID(id), Format: kv.FormatVersion, Puzzle: id.Puzzle, Params: id.Params, Config: config,
	}
}

// Identity returns what the run ID is the hash of.
func (m *Meta) Identity() puzzle.Identity { return puzzle.Identity{Puzzle: m.Puzzle, Params: m.Params} }

// ReadMeta reads whose folder dir is. It takes no lock. Errors wrap ErrNoRun when there is no run, and kv.ErrFormat
// when the folder is of another format version.
func ReadMeta(dir string) (Meta, error) {
	path := filepath.Join(dir, metaName)
	b, err := readfile.Bounded(path, maxMetaBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return Meta{}, fmt.Errorf("%s: %w", dir, ErrNoRun)
	}
	if errors.Is(err, readfile.ErrTooLarge) {
		return Meta{}, fmt.Errorf("%s: %w", path, err)
	}
	if err != nil {
		return Meta{}, err
	}
	// The version comes first: of another format nothing else can be expected to make sense.
	var version struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(b, &version); err != nil {
		return Meta{}, fmt.Errorf("%s: %w", path, err)
	}
	if version.Format != kv.FormatVersion {
		return Meta{}, &kv.FormatError{
			Dir: dir, Found: fmt.Sprintf("run format %d", version.Format), Want: fmt.Sprintf("run format %d", kv.FormatVersion),
		}
	}
	var m Meta
	if err := protocol.DecodeStrict(b, &m, maxMetaBytes); err != nil {
		return Meta{}, fmt.Errorf("%s: %w", path, err)
	}
	if want := RunID(m.Identity()); m.Run != want {
		return Meta{}, fmt.Errorf("%s: run ID %.40q does not belong to its parameters (%s)", path, m.Run, want)
	}
	return m, nil
}

// write stores m in dir.
func (m *Meta) write(dir string) error {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, metaName), append(b, '\n'), true)
}

// writeFile puts b in the place of a file at once. sync makes it survive a power failure.
func writeFile(path string, b []byte, sync bool) (err error) {
	tmp := path + ".tmp"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp))
		}
	}()
	_, err = f.Write(b)
	if err == nil && sync {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = os.Rename(tmp, path); err != nil || !sync {
		return err
	}
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// CheckFolder says whether dir can hold the run of m, and changes nothing: nil when it is absent, empty or holds that
// run (resume is then true). Otherwise the error is a *DiffersError, or wraps ErrOccupied or kv.ErrFormat.
func CheckFolder(dir string, m Meta) (resume bool, err error) {
	have, err := ReadMeta(dir)
	if errors.Is(err, ErrNoRun) {
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		for _, e := range entries {
			// What a process leaves that dies while it creates the folder.
			if name := e.Name(); name != metaName+".tmp" {
				return false, fmt.Errorf("%s: %w: found %s", dir, ErrOccupied, strings.TrimSpace(name))
			}
		}
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := Compare(have.Identity(), m.Identity()); err != nil {
		var differs *DiffersError
		if errors.As(err, &differs) {
			differs.Dir = dir
		}
		return false, err
	}
	return true, nil
}
