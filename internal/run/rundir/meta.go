package rundir

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/readfile"
	"pagoda/internal/run/protocol"
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

	// ErrMeta is wrapped when run.json is damaged, or missing beside a ledger or store. It wraps kv.ErrCorrupt. Create
	// writes it again.
	ErrMeta = fmt.Errorf("%w: it does not say whose folder this is", kv.ErrCorrupt)

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

// Identity returns the puzzle and the parameters that the run ID is a hash of.
func (m *Meta) Identity() puzzle.Identity { return puzzle.Identity{Puzzle: m.Puzzle, Params: m.Params} }

// ReadMeta reads whose folder dir is. It takes no lock. Errors wrap ErrNoRun when there is no run, ErrMeta when
// run.json is damaged or missing, and kv.ErrFormat when the folder is of another format version.
func ReadMeta(dir string) (Meta, error) {
	path := filepath.Join(dir, metaName)
	b, err := readfile.Own(path, maxMetaBytes)
	if errors.Is(err, fs.ErrNotExist) {
		if anyOf(dir, ledgerName, storeName) {
			return Meta{}, fmt.Errorf("%s is missing: %w", path, ErrMeta)
		}
		return Meta{}, fmt.Errorf("%s: %w", dir, ErrNoRun)
	}
	switch {
	case errors.Is(err, readfile.ErrTooLarge), errors.Is(err, readfile.ErrNotRegular):
		return Meta{}, fmt.Errorf("%w: %w", ErrMeta, err)
	case err != nil:
		return Meta{}, err
	}
	m, err := decodeMeta(b)
	switch {
	case errors.Is(err, kv.ErrFormat):
		return Meta{}, &kv.FormatError{Dir: dir, Found: err.Error(), Want: fmt.Sprintf("run format %d", kv.FormatVersion)}
	case err != nil:
		return Meta{}, fmt.Errorf("%s: %w: %w", path, ErrMeta, err)
	}
	return m, nil
}

// Holds reports whether dir is the folder of a run, also of a damaged one. It reads no file.
func Holds(dir string) bool { return anyOf(dir, metaName, ledgerName, storeName) }

// anyOf reports whether dir has an entry of one of the names.
func anyOf(dir string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	})
}

// metaTail comes at the end of run.json, with the first 16 bytes of the SHA-256 of all that comes before it. Folders of
// older versions do not have it.
const metaTail = ",\n  \"checksum\": \"%.16x\"\n}\n"

func sumMeta(b []byte) []byte {
	sum := sha256.Sum256(b)
	return fmt.Appendf(nil, metaTail, sum[:])
}

// otherFormat is the format of a run.json of another version; it wraps kv.ErrFormat.
type otherFormat int

func (f otherFormat) Error() string { return fmt.Sprintf("run format %d", int(f)) }
func (f otherFormat) Unwrap() error { return kv.ErrFormat }

// decodeMeta reads the content of run.json.
func decodeMeta(b []byte) (Meta, error) {
	tail, _, _ := strings.Cut(metaTail, "%")
	if i := bytes.LastIndex(b, []byte(tail)); i >= 0 {
		if !bytes.Equal(b[i:], sumMeta(b[:i])) {
			return Meta{}, errors.New("its checksum does not match")
		}
		b = append(bytes.Clone(b[:i]), '}')
	}
	// The version comes first: of another format nothing else can be expected to make sense.
	var version struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(b, &version); err != nil {
		return Meta{}, err
	}
	if version.Format == 0 {
		return Meta{}, errors.New("it has no format")
	}
	if version.Format != kv.FormatVersion {
		return Meta{}, otherFormat(version.Format)
	}
	var m Meta
	if err := protocol.DecodeStrict(b, &m, maxMetaBytes); err != nil {
		return Meta{}, err
	}
	if want := RunID(m.Identity()); m.Run != want {
		return Meta{}, fmt.Errorf("run ID %.40q does not belong to its parameters (%s)", m.Run, want)
	}
	return m, nil
}

// encode returns the content of run.json.
func (m *Meta) encode() ([]byte, error) {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	b = bytes.TrimSuffix(b, []byte("\n}"))
	return append(b, sumMeta(b)...), nil
}

// write stores m in dir.
func (m *Meta) write(dir string) error {
	b, err := m.encode()
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, metaName), b, true)
}

// writeFile puts b in the place of a file at once. sync makes it survive a power failure. A folder that is in the place
// is moved aside; a link, a pipe or a socket is replaced and never followed.
func writeFile(path string, b []byte, sync bool) (err error) {
	tmp := path + ".tmp"
	if err := errors.Join(clearPlace(tmp), clearPlace(path)); err != nil {
		return err
	}
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
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

// clearPlace makes room for a file: a folder in its place is moved to asidePath, anything but a regular file goes.
func clearPlace(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		if err := os.RemoveAll(asidePath(path)); err != nil {
			return err
		}
		return os.Rename(path, asidePath(path))
	case info.Mode().IsRegular() && !strings.HasSuffix(path, ".tmp"):
		return nil // it is replaced at once
	}
	return os.Remove(path)
}

// CheckFolder says whether dir can hold the run of m, and changes nothing. It returns nil when dir is absent, empty or
// holds that run (resume is then true), even with an unreadable run.json. Otherwise the error is a *DiffersError, or
// wraps ErrOccupied, kv.ErrFormat or kv.ErrRun.
func CheckFolder(dir string, m Meta) (resume bool, err error) {
	have, err := ReadMeta(dir)
	switch {
	case errors.Is(err, ErrNoRun):
		return false, checkEmpty(dir)
	case errors.Is(err, ErrMeta):
		return true, checkDatabases(dir, m.Run)
	case err != nil:
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

// checkEmpty checks that dir can hold a new run.
func checkEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		// A process that dies while it creates the folder leaves this file.
		if name := e.Name(); name != metaName+".tmp" {
			return fmt.Errorf("%s: %w: found %s", dir, ErrOccupied, strings.TrimSpace(name))
		}
	}
	return nil
}

// checkDatabases checks that no readable ledger or store in dir is of another run. One of them has to exist, and to be
// readable if there is no run.json: the files may belong to another program.
func checkDatabases(dir, run string) error {
	o := kv.Options{ReadOnly: true, Peek: true}
	_, missing := os.Stat(filepath.Join(dir, metaName))
	known := false
	check := func(name string, open func(path string) error) error {
		path := filepath.Join(dir, name)
		there, err := kv.Exists(path, o)
		if !there || err != nil {
			return err
		}
		err = open(path)
		if errors.Is(err, kv.ErrRun) || errors.Is(err, kv.ErrFormat) && !damaged(err) || errors.Is(err, kv.ErrLocked) {
			return err
		}
		known = known || err == nil || missing == nil
		return nil
	}
	err := check(ledgerName, func(path string) error {
		l, err := kv.OpenLedger(path, run, o)
		if err == nil {
			err = l.Close()
		}
		return err
	})
	if err == nil {
		err = check(storeName, func(path string) error {
			s, err := kv.Open(path, run, o)
			if err == nil {
				err = s.Close()
			}
			return err
		})
	}
	if err == nil && !known {
		err = fmt.Errorf("%s: %w that can be read", dir, ErrOccupied)
	}
	return err
}
