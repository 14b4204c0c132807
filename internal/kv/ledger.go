package kv

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"pagoda/internal/kv/form"
	"pagoda/internal/puzzle"
)

// An Entry of a ledger: a committed window and the workers that hold it.
type Entry struct {
	Record  Record   `json:"record"`
	Holders []string `json:"holders,omitempty"` // sorted, no name twice
	// By names the workers that computed it, each by itself; sorted, no name twice. Ledgers of older versions of the
	// program do not say.
	By []string `json:"by,omitempty"`
}

// Reporters names the workers whose word the entry is: those that computed it, or, if none are on record, its holders.
func (e *Entry) Reporters() []string {
	if len(e.By) > 0 {
		return e.By
	}
	return e.Holders
}

// MaxHolders bounds the holders of a window.
const MaxHolders = 1024

// Encode writes e as one line of JSON. An entry has one encoding.
func (e *Entry) Encode() ([]byte, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	b, _ := form.Write(e.form) // names that pass check have their text
	return b, nil
}

func (e *Entry) check() error {
	if err := e.Record.Check(); err != nil {
		return fmt.Errorf("run %s, window %s: %w", e.Record.Run, e.Record.Window, err)
	}
	if len(e.Holders) > MaxHolders {
		return fmt.Errorf("window %s: %d holders, at most %d are allowed", e.Record.Window, len(e.Holders), MaxHolders)
	}
	if h, ok := orderedNames(e.Holders); !ok {
		return fmt.Errorf("window %s: holder %q is invalid or out of order", e.Record.Window, h)
	}
	if h, ok := orderedNames(e.By); !ok || len(e.By) > MaxHolders {
		return fmt.Errorf("window %s: worker %q is invalid or out of order", e.Record.Window, h)
	}
	return nil
}

// orderedNames reports whether names are sorted, with none twice, and otherwise which is not as it should be.
func orderedNames(names []string) (bad string, ok bool) {
	for i, n := range names {
		if !validName(n) || i > 0 && n <= names[i-1] {
			return n, false
		}
	}
	return "", true
}

// sortedNames sorts names and removes doubles.
func sortedNames(names ...string) []string {
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// DecodeEntry reads what Encode writes, and nothing else; see [DecodeRecord].
func DecodeEntry(b []byte) (e Entry, err error) {
	if err = read(b, e.form); err == nil {
		err = e.check()
	}
	if err != nil {
		return Entry{}, fmt.Errorf("%w: entry: %w", ErrCorrupt, err)
	}
	return e, nil
}

// Ledger is the coordinator's durable record of the committed windows of a run. Safe for concurrent use.
type Ledger struct {
	*folder
	appends sync.Mutex // an append reads the entries that it replaces
}

// keyInfo starts the keys of the run's own values, see SetMeta.
const keyInfo = 'x'

// Defaults of a ledger, which is small.
const ledgerCache, ledgerMemTable = 4 << 20, 4 << 20

// OpenLedger opens the ledger of a run in dir, or begins one when dir is empty or missing. Errors wrap ErrLocked,
// ErrFormat, ErrRun, ErrCorrupt, ErrDiskFull.
func OpenLedger(dir, run string, o Options) (*Ledger, error) {
	if o.MemTableBytes == 0 {
		o.MemTableBytes = ledgerMemTable
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = ledgerCache
	}
	f, err := openFolder(dir, run, kindLedger, o)
	if err != nil {
		return nil, err
	}
	return &Ledger{folder: f}, nil
}

// Append adds entries and notes audits, all or none, and returns once they are durable. A window that the ledger has
// already must have the same content, or the error is a *ConflictError; its holders are joined, and the workers that
// computed it. Appending the same again changes nothing.
func (l *Ledger) Append(entries []Entry, audits ...Audit) error {
	if err := l.enter(); err != nil {
		return err
	}
	defer l.exit()
	batch := l.db.NewIndexedBatch()
	defer free(batch)
	if err := l.enqueue(batch, entries, audits); err != nil {
		return err
	}
	if batch.Empty() {
		// All of it was there, but an append that is still under way may have brought it.
		return l.done(l.db.LogData(nil, pebble.Sync))
	}
	return l.done(batch.SyncWait())
}

func (l *Ledger) enqueue(batch *pebble.Batch, entries []Entry, audits []Audit) error {
	l.appends.Lock()
	defer l.appends.Unlock()
	for _, e := range entries {
		if e.Record.Run != l.run {
			return fmt.Errorf("window %s: %w", e.Record.Window, &RunError{l.dir, l.run, e.Record.Run})
		}
		e.Holders, e.By = sortedNames(e.Holders...), sortedNames(e.By...)
		have, found, err := l.lookup(batch, e.Record.ID())
		if err != nil {
			return err
		}
		if found {
			if !have.Record.SameContent(&e.Record) {
				return &ConflictError{have.Record, e.Record}
			}
			e.Record = have.Record
			e.Holders = sortedNames(append(e.Holders, have.Holders...)...)
			e.By = sortedNames(append(e.By, have.By...)...)
			if slices.Equal(e.Holders, have.Holders) && slices.Equal(e.By, have.By) {
				continue
			}
		}
		if err := l.put(batch, e); err != nil {
			return err
		}
	}
	for _, a := range audits {
		if err := l.note(batch, a); err != nil {
			return err
		}
	}
	if batch.Empty() {
		return nil
	}
	// The log holds on to the batch until it has been waited for, frozen folder or not.
	return l.failure(l.db.ApplyNoSyncWait(batch, pebble.Sync))
}

func (l *Ledger) put(batch *pebble.Batch, e Entry) error {
	b, err := e.Encode()
	if err != nil {
		return err
	}
	return l.failure(batch.Set(entryKey(e.Record.ID()), b, nil))
}

func (l *Ledger) lookup(r pebble.Reader, id puzzle.WindowID) (e Entry, found bool, err error) {
	b, found, err := getFrom(l.folder, r, entryKey(id))
	if err != nil || !found {
		return Entry{}, false, err
	}
	e, err = l.decode(id, b)
	return e, err == nil, err
}

func (l *Ledger) decode(id puzzle.WindowID, b []byte) (Entry, error) {
	e, err := DecodeEntry(b)
	if err == nil && (e.Record.Run != l.run || e.Record.ID() != id) {
		err = fmt.Errorf("%w: entry of run %s, window %s", ErrCorrupt, e.Record.Run, e.Record.Window)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("ledger %s, window %s: %w", l.dir, id, err)
	}
	return e, nil
}

// Entry returns the entry of a window; found is false when the ledger does not have it.
func (l *Ledger) Entry(id puzzle.WindowID) (e Entry, found bool, err error) {
	if err := l.enter(); err != nil {
		return Entry{}, false, err
	}
	defer l.exit()
	return l.lookup(l.db, id)
}

// Load passes every entry to fn, in the order of layer, cell key, part. An entry that does not decode ends it with an
// error that wraps ErrCorrupt. After Forget of that entry, the window is computed again.
func (l *Ledger) Load(fn func(Entry) error) error {
	if err := l.enter(); err != nil {
		return err
	}
	defer l.exit()
	return l.scan([]byte{keyEntry}, func(key, value []byte) error {
		id, rest, err := cutWindow(key[1:])
		if err != nil || len(rest) > 0 {
			return fmt.Errorf("ledger %s: %w: entry key %x", l.dir, ErrCorrupt, key)
		}
		e, err := l.decode(id, value)
		if err != nil {
			return err
		}
		return fn(e)
	})
}

// SetHolders replaces the holders of a window, durably. The error wraps ErrNotFound when the ledger does not have it.
func (l *Ledger) SetHolders(id puzzle.WindowID, holders []string) error {
	return l.change(func(batch *pebble.Batch) error {
		e, found, err := l.lookup(l.db, id)
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("ledger %s, window %s: %w", l.dir, id, ErrNotFound)
		}
		e.Holders = slices.Compact(slices.Sorted(slices.Values(holders)))
		return l.put(batch, e)
	})
}

// Forget removes a window, durably: it was lost, or found damaged, and is to be computed again.
func (l *Ledger) Forget(ids ...puzzle.WindowID) error {
	return l.change(func(batch *pebble.Batch) error {
		for _, id := range ids {
			if err := errors.Join(batch.Delete(entryKey(id), nil), batch.Delete(auditKey(id), nil)); err != nil {
				return l.failure(err)
			}
		}
		return nil
	})
}

// Meta returns the value that SetMeta stored under name; found is false when there is none.
func (l *Ledger) Meta(name string) (value []byte, found bool, err error) {
	if err := l.enter(); err != nil {
		return nil, false, err
	}
	defer l.exit()
	return l.get(append([]byte{keyInfo}, name...))
}

// SetMeta stores a value under a name, durably: the parameters of the run, the fencing epoch, and the like.
func (l *Ledger) SetMeta(name string, value []byte) error {
	if name == "" {
		return errors.New("the name of a ledger value is empty")
	}
	return l.change(func(batch *pebble.Batch) error {
		return l.failure(batch.Set(append([]byte{keyInfo}, name...), value, nil))
	})
}

func (l *Ledger) change(fill func(*pebble.Batch) error) error {
	if err := l.enter(); err != nil {
		return err
	}
	defer l.exit()
	l.appends.Lock()
	defer l.appends.Unlock()
	batch := l.db.NewBatch()
	defer free(batch)
	if err := fill(batch); err != nil {
		return err
	}
	return l.done(l.db.Apply(batch, pebble.Sync))
}

// Run returns the run that the ledger belongs to.
func (l *Ledger) Run() string { return l.run }

// Close waits for operations under way and closes the ledger.
func (l *Ledger) Close() error { return l.close() }
