package kv

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/kv/guard"
)

// Options of a store or ledger. The zero value is good for a worker.
type Options struct {
	// FS is the file system, nil for the machine's own.
	FS vfs.FS
	// CacheBytes is the memory for records and entries read from disk, 0 for 4 MiB. Blocks are not kept.
	CacheBytes int64
	// MemTableBytes is the memory that collects records and entries before they go to a table, 0 for 4 MiB; up to three
	// times as much is in use while the disk falls behind.
	MemTableBytes int64
	// ReadOnly opens without changing anything; the folder must exist. It still takes the lock. Where nothing can be
	// written, as on a file system that is mounted so, it takes one that readers share, or none where there are no locks.
	ReadOnly bool
	// Peek, with ReadOnly, gives the lock back as soon as the folder is open, so that it keeps no other process out. Later
	// writes are not seen, and reads fail once tables are replaced; open the folder anew then.
	Peek bool
	// Event is called with notable events of the database underneath (background errors, corruption found), one line of
	// text each; nil drops them. It must be safe for concurrent use and return quickly.
	Event func(text string)

	segmentBytes int64 // for tests: the size of a segment, 0 for the usual one
}

const (
	defaultCache    = 4 << 20
	defaultMemTable = 4 << 20
	memTables       = 3 // at a time
	// pebbleFormat is part of FormatVersion: Pebble never lowers it in a folder.
	pebbleFormat = pebble.FormatWALSyncChunks
	// closeFrozen bounds the wait for the database of a frozen folder, whose disk does not matter any more.
	closeFrozen = 2 * time.Second
)

// meta is the value under keyMeta.
type meta struct {
	Format int    `json:"format"`
	Kind   string `json:"kind"`
	Run    string `json:"run"`
}

const (
	kindWindows = "windows"
	kindLedger  = "ledger"
)

var formats = map[string]int{kindWindows: StoreVersion, kindLedger: FormatVersion}

func (m meta) String() string { return fmt.Sprintf("%s format %d", m.Kind, m.Format) }

// folder is the common part of store and ledger: an open database, the lock, the guard, the identity of the folder, and
// operations that Close waits for.
type folder struct {
	dir      string
	run      string
	db       *pebble.DB
	lock     *pebble.Lock
	disk     *guard.FS
	readOnly bool
	damaged  atomic.Pointer[string] // the damage that the database reported; nil: none
	// beforeClose is called before the database is closed, unless the folder is frozen.
	beforeClose func() error
	ready       sync.Cond // on mu: users went to 0
	mu          sync.Mutex
	users       int
	shut        bool
}

// openFolder opens or creates the database in dir.
func openFolder(dir, run, kind string, o Options) (*folder, error) {
	if !validName(run) {
		return nil, fmt.Errorf("folder %s: invalid run ID %q", dir, run)
	}
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.Event == nil {
		o.Event = func(string) {}
	}
	f := &folder{dir: dir, run: run, disk: guard.New(o.FS, dir, segmentSuffix), readOnly: o.ReadOnly}
	f.ready.L = &f.mu
	if err := guard.CheckFolder(o.FS, dir); err != nil {
		return nil, err
	}
	if !o.ReadOnly {
		if err := makeFolder(f.disk, dir); err != nil || f.disk.Err() != nil {
			return nil, fmt.Errorf("create folder %s: %w", dir, errors.Join(err, f.disk.Err()))
		}
	} else if _, err := o.FS.Stat(dir); err != nil {
		return nil, fmt.Errorf("open folder %s: %w", dir, err)
	}
	locker := o.FS
	if o.ReadOnly {
		if err := guard.Regular(o.FS, o.FS.PathJoin(dir, guard.LockName)); err != nil {
			return nil, err
		}
		locker = readerLock{o.FS}
	} else if err := clearLock(dir, o.FS); err != nil {
		return nil, err
	}
	if o.ReadOnly && o.Peek {
		brief := &briefLock{FS: locker}
		defer brief.release()
		locker = brief
	}
	lock, err := lockFolder(dir, locker)
	if err != nil {
		return nil, err
	}
	f.lock = lock
	closed, err := f.check()
	if err == nil && kind == kindWindows && !o.ReadOnly {
		err = f.countOpening(closed)
	}
	if err == nil {
		err = f.openDB(o)
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	// The tables of a folder that was not closed have only the checksums of their blocks.
	if !closed {
		err = f.scan(nil, func(_, _ []byte) error { return nil })
	}
	if err == nil {
		err = f.identify(kind, o.ReadOnly)
	}
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

func lockFolder(dir string, fsys vfs.FS) (*pebble.Lock, error) {
	lock, err := pebble.LockDirectory(dir, fsys)
	if err == nil {
		return lock, nil
	}
	// A PathError says that the lock file cannot be created. A lock held by another process comes as EAGAIN, one held by
	// this process without any error of the system.
	if pathErr := (*fs.PathError)(nil); errors.As(err, &pathErr) {
		return nil, fmt.Errorf("folder %s: %w", dir, err)
	}
	return nil, fmt.Errorf("folder %s: %w", dir, ErrLocked)
}

// check checks what Pebble takes on trust, and notes that a folder opened for writing is not closed any more.
func (f *folder) check() (closed bool, err error) {
	if err = f.disk.CheckRegular(!f.readOnly); err == nil {
		closed, err = guard.CheckClosed(f.disk, f.dir)
	}
	if err == nil {
		err = checkManifest(f.disk, f.dir) // of a closed folder too: it costs little
	}
	if errors.Is(err, errUnmade) {
		if f.readOnly {
			return closed, fmt.Errorf("folder %s: %w: %w", f.dir, ErrCorrupt, err)
		}
		err = unmake(f.disk, f.dir)
	}
	if err == nil && closed && !f.readOnly {
		err = errors.Join(f.disk.Remove(f.disk.PathJoin(f.dir, guard.ChecksumsName)), guard.SyncDir(f.disk, f.dir))
	}
	if err != nil {
		return closed, fmt.Errorf("folder %s: %w", f.dir, err)
	}
	return closed, f.disk.Err()
}

// countOpening notes that a store is opened, unless it was opened too often.
func (f *folder) countOpening(closed bool) error {
	err := countOpening(f.disk, f.dir, closed)
	if errors.Is(err, ErrNeverClosed) {
		err = &unclosedError{err}
	}
	if err != nil {
		return fmt.Errorf("folder %s: %w", f.dir, err)
	}
	return f.disk.Err()
}

func (f *folder) openDB(o Options) (err error) {
	if o.CacheBytes == 0 {
		o.CacheBytes = defaultCache
	}
	if o.MemTableBytes == 0 {
		o.MemTableBytes = defaultMemTable
	}
	cache := pebble.NewCache(o.CacheBytes)
	defer cache.Unref()
	po := &pebble.Options{
		FS:                          f.disk,
		Lock:                        f.lock,
		Cache:                       cache,
		ReadOnly:                    o.ReadOnly,
		ErrorIfNotExists:            o.ReadOnly,
		FormatMajorVersion:          pebbleFormat,
		Logger:                      fatalIsError{f.disk, o.Event},
		MemTableSize:                uint64(o.MemTableBytes),
		MemTableStopWritesThreshold: memTables,
		// Writers do not wait for compactions that fall behind: records are few.
		L0StopWritesThreshold: 1000,
		EventListener: &pebble.EventListener{
			BackgroundError: func(err error) { o.Event(fmt.Sprintf("folder %s: %v", f.dir, oneLine{err})) },
			DataCorruption: func(i pebble.DataCorruptionInfo) {
				text := fmt.Sprintf("damaged file %s: %v", i.Path, oneLine{i.Details})
				f.damaged.CompareAndSwap(nil, &text)
				o.Event(text)
			},
		},
	}
	// A compaction that meets a damaged table fails, and is tried again at once, for ever. A damaged database has to be
	// replaced anyway (see Damaged), so the first damage ends compaction.
	po.Experimental.CompactionScheduler = restingScheduler{
		pebble.NewConcurrencyLimitSchedulerWithNoPeriodicGrantingForTest(), func() bool { return f.damaged.Load() != nil },
	}
	for i := range po.TargetFileSizes {
		po.TargetFileSizes[i] = 64 << 20
	}
	// Records are small beside the blocks.
	po.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionNone })
	po.EnsureDefaults()
	// Pebble panics at some unexpected content of a log.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("folder %s: %w: %v", f.dir, ErrCorrupt, p)
		}
	}()
	db, err := pebble.Open(f.dir, po)
	if err != nil {
		return f.unopened(err)
	}
	f.db = db
	return nil
}

// unopened says why the database did not open. Pebble has no one way to say that its files are damaged: that shows as a
// missing table, as another comparer, as nonsense of all kinds. So everything counts that the system does not report.
func (f *folder) unopened(err error) error {
	if e := f.disk.Err(); e != nil {
		return e
	}
	var errno syscall.Errno
	if errors.As(err, &errno) && errno != syscall.ENOENT {
		return f.failure(err)
	}
	return fmt.Errorf("folder %s: %w: %w", f.dir, ErrCorrupt, oneLine{err})
}

// identify checks the format, kind and run of the folder, or marks a new one.
func (f *folder) identify(kind string, readOnly bool) error {
	want := meta{formats[kind], kind, f.run}
	b, found, err := f.get([]byte{keyMeta})
	if err != nil {
		return err
	}
	if !found {
		empty, err := f.empty()
		if err != nil {
			return err
		}
		if !empty || readOnly {
			return &FormatError{f.dir, "none", want.String()}
		}
		b, err := json.Marshal(want)
		if err != nil {
			return err
		}
		return f.done(f.db.Set([]byte{keyMeta}, b, pebble.Sync))
	}
	var have meta
	if err := json.Unmarshal(b, &have); err != nil {
		return &FormatError{f.dir, "none", want.String()}
	}
	if have.Format != want.Format || have.Kind != want.Kind {
		return &FormatError{f.dir, have.String(), want.String()}
	}
	if have.Run != want.Run {
		return &RunError{f.dir, have.Run, want.Run}
	}
	return f.disk.Err()
}

func (f *folder) empty() (bool, error) {
	it, err := f.db.NewIter(nil)
	if err != nil {
		return false, f.failure(err)
	}
	some := it.First()
	return !some, f.failure(it.Close())
}

// enter begins an operation; every enter without an error is followed by exit.
func (f *folder) enter() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.shut {
		return fmt.Errorf("folder %s: %w", f.dir, ErrClosed)
	}
	if err := f.disk.Err(); err != nil {
		return err
	}
	f.users++
	return nil
}

func (f *folder) exit() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.users--; f.users == 0 {
		f.ready.Broadcast()
	}
}

// Damaged says which file of the database was found to be damaged since the folder was opened, "" for none. Writes go
// on to work, and reads outside the damaged part too. But the database is not compacted any more and the damage stays
// in it, so the readable windows belong in a new folder sooner or later. A damaged block in a segment does not count:
// it is gone when its window is dropped or replaced.
func (f *folder) Damaged() string {
	if text := f.damaged.Load(); text != nil {
		return *text
	}
	return ""
}

// done corrects the outcome of a write: nothing is written in a frozen folder, whatever Pebble was told.
func (f *folder) done(err error) error {
	if e := f.disk.Err(); e != nil {
		return e
	}
	return f.failure(err)
}

// failure adds the place and the sentinel to an error of the database.
func (f *folder) failure(err error) error {
	if err == nil {
		return nil
	}
	if pebble.IsCorruptionError(err) {
		return fmt.Errorf("folder %s: %w: %w", f.dir, ErrCorrupt, oneLine{err})
	}
	return fmt.Errorf("folder %s: %w", f.dir, oneLine{err})
}

// oneLine is an error of the database, cut to its first line, which names the fault.
type oneLine struct{ err error }

func (e oneLine) Error() string {
	text, _, _ := strings.Cut(e.err.Error(), "\n")
	return text
}

func (e oneLine) Unwrap() error { return e.err }

// get returns a copy of a value.
func (f *folder) get(key []byte) (v []byte, found bool, err error) {
	return getFrom(f, f.db, key)
}

// free gives back memory; there is nothing in its error that matters.
func free(c io.Closer) { _ = c.Close() }

func getFrom(f *folder, r pebble.Reader, key []byte) (v []byte, found bool, err error) {
	b, closer, err := r.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, f.failure(err)
	}
	v = bytes.Clone(b)
	return v, true, f.failure(closer.Close())
}

// scan passes all keys with a prefix to fn. Key and value are valid until fn returns.
func (f *folder) scan(prefix []byte, fn func(key, value []byte) error) error {
	it, err := f.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: after(prefix)})
	if err != nil {
		return f.failure(err)
	}
	for ok := it.First(); ok && err == nil; ok = it.Next() {
		var v []byte
		if v, err = it.ValueAndErr(); err != nil {
			err = f.failure(err)
			break
		}
		err = fn(it.Key(), v)
	}
	if cerr := it.Close(); err == nil {
		err = f.failure(cerr)
	}
	return err
}

// close waits for the operations under way and closes the database. The lock is free afterwards.
func (f *folder) close() error {
	f.mu.Lock()
	if f.shut {
		f.mu.Unlock()
		return nil
	}
	f.shut = true
	for f.users > 0 {
		f.ready.Wait()
	}
	f.mu.Unlock()
	if f.disk.Err() == nil && f.beforeClose != nil {
		if err := f.beforeClose(); err != nil {
			f.disk.Fail(err)
		}
	}
	if f.disk.Err() == nil && !f.readOnly {
		// Flush moves the rest of the log to a table, whose every block has a checksum. A log that is damaged later is read
		// up to the damage and no further.
		if err := f.db.Flush(); err != nil {
			f.disk.Fail(err)
		}
	}
	if f.disk.Err() == nil {
		err := f.done(f.db.Close())
		if err == nil && !f.readOnly {
			err = f.done(guard.WriteChecksums(f.disk, f.dir))
		}
		return errors.Join(err, f.lock.Close())
	}
	// The failure that froze the database was returned by the call that met it, or is returned now. The database normally
	// closes like any other, but nothing depends on it, so the wait is short.
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = f.db.Close()
	}()
	select {
	case <-closed:
	case <-time.After(closeFrozen):
	}
	return errors.Join(f.disk.Err(), f.lock.Close())
}

// fatalIsError is Pebble's logger. What Pebble calls fatal freezes the folder instead of ending the process.
type fatalIsError struct {
	disk  *guard.FS
	event func(string)
}

func (l fatalIsError) Infof(string, ...any) {}

func (l fatalIsError) Errorf(format string, args ...any) {
	l.event(fmt.Sprintf("folder %s: "+format, append([]any{l.disk.Dir()}, args...)...))
}

func (l fatalIsError) Fatalf(format string, args ...any) {
	l.disk.Fail(fmt.Errorf(format, args...))
	l.Errorf(format, args...)
}

// restingScheduler is Pebble's own scheduler of compactions until the folder is found to be damaged, and then lets none
// begin. (The constructor's name is Pebble's. Periodic granting would be for a number of concurrent compactions that
// grows; here it is one.)
type restingScheduler struct {
	*pebble.ConcurrencyLimitScheduler
	rest func() bool
}

func (s restingScheduler) Register(goroutines int, db pebble.DBForCompaction) {
	s.ConcurrencyLimitScheduler.Register(goroutines, restingDB{db, s.rest})
}

type restingDB struct {
	pebble.DBForCompaction
	rest func() bool
}

func (d restingDB) GetAllowedWithoutPermission() int {
	if d.rest() {
		return 0
	}
	return d.DBForCompaction.GetAllowedWithoutPermission()
}
