package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sync/errgroup"

	"pagoda/internal/fleet/objects"
	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
)

const (
	// readAhead is how many segments are read at a time, over so many streams.
	readAhead, readStreams = 16, 8
)

// get reads a segment. Errors wrap kv.ErrCorrupt, kv.ErrFormat, or are those of objects.Store.
func (l *Ledger) get(ctx context.Context, number uint64) (s segment, err error) {
	const tries = 3 // the store's own do not cover the content
	for range tries {
		if s, err = l.getOnce(ctx, number); !errors.Is(err, objects.ErrAway) || ctx.Err() != nil {
			break
		}
	}
	return s, err
}

func (l *Ledger) getOnce(ctx context.Context, number uint64) (segment, error) {
	body, err := l.store.Get(ctx, l.at.Below(segmentName(number)).Key)
	if err != nil {
		return segment{}, err
	}
	defer func() { _ = body.Close() }()
	b, err := io.ReadAll(io.LimitReader(body, maxSegment))
	if err != nil {
		return segment{}, err
	}
	return unpack(b, l.run, number)
}

// list returns the number of the last segment, 0 when there is none.
func (l *Ledger) list(ctx context.Context) (last uint64, err error) {
	err = l.store.List(ctx, l.at.Key, func(o objects.Object) error {
		if n, ok := parseSegment(strings.TrimPrefix(o.Key, l.at.Key)); ok {
			last = max(last, n)
		}
		return nil
	})
	return last, err
}

// damagedSegment reports whether a segment costs its windows and no more.
func damagedSegment(err error) bool {
	return errors.Is(err, kv.ErrCorrupt) || errors.Is(err, objects.ErrNotFound)
}

// catchUp reads the archive's ledger. With merge, the folder takes over segments that it does not know. Without, it
// returns the head of the last of those that another coordinator has written, and changes nothing then. Afterwards the
// entries wait for the archive that it lacks or has otherwise.
func (l *Ledger) catchUp(ctx context.Context, merge bool) (after *head, err error) {
	last, err := l.list(ctx)
	if err != nil {
		return nil, err
	}
	l.land()
	newest, damaged, err := l.newest(ctx, last)
	if err != nil {
		return nil, err
	}
	// Each segment that cannot be read may have begun an epoch.
	epoch := newest.Epoch + damaged
	if !merge && (newest.Instance != l.instance || damaged > 0) && (last > l.number() || epoch >= l.epoch) {
		newest.Epoch = epoch
		return &newest.head, nil
	}
	l.epoch = max(l.epoch, epoch)
	r := &reading{l: l, known: l.number(), there: make(map[puzzle.WindowID]uint64)}
	if err := r.refusals(newest); err != nil {
		return nil, err
	}
	for from := uint64(1); from <= last; from += readAhead {
		if err := r.read(ctx, from, min(from+readAhead-1, last)); err != nil {
			return nil, err
		}
	}
	if r.restored > 0 {
		l.o.Restored(r.restored)
	}
	return nil, r.queueMissing(last)
}

// land gives up a segment whose fate is not known: if it is in the archive it is read there.
func (l *Ledger) land() {
	if l.flying != nil {
		l.giveBack(l.flying.windows)
		l.flying = nil
	}
}

// newest returns the last segment that can be read, and how many come after it.
func (l *Ledger) newest(ctx context.Context, last uint64) (s segment, damaged uint64, err error) {
	for n := last; n > 0; n-- {
		s, err = l.get(ctx, n)
		if err == nil || !damagedSegment(err) {
			return s, last - n, err
		}
	}
	if last > 0 && l.o.Must {
		return s, last, fmt.Errorf("%s: %w: none of its %d segments can be read", l, kv.ErrCorrupt, last)
	}
	return segment{}, last, nil
}

// A reading brings the archive's ledger together with that of the folder.
type reading struct {
	l        *Ledger
	known    uint64                     // segments of which the folder has everything
	void     map[puzzle.WindowID]uint64 // entries in segments before this one do not count
	audit    map[puzzle.WindowID]uint64 // nor do their words on audits
	there    map[puzzle.WindowID]uint64 // hashes of the archive's entries
	restored int
}

// refusals takes over the refusals of the archive, and those that it does not have yet hold for all of its segments.
func (r *reading) refusals(newest segment) error {
	l := r.l
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refusals = newest.Refusals
	for _, d := range newest.Refusals {
		if i := slices.IndexFunc(l.state.Unsaid, func(u kv.Distrust) bool { return sameDistrust(u, d.Distrust) }); i >= 0 {
			l.state.Unsaid = slices.Delete(l.state.Unsaid, i, i+1) // the folder has it
		} else if d.At > r.known {
			if err := l.distrust(d.Distrust); err != nil {
				return err
			}
		}
	}
	r.void, r.audit = make(map[puzzle.WindowID]uint64), make(map[puzzle.WindowID]uint64)
	note := func(d kv.Distrust, at uint64) {
		for _, id := range d.Forget {
			r.void[id] = max(r.void[id], at)
		}
		for _, id := range d.Audit {
			r.audit[id] = max(r.audit[id], at)
		}
	}
	for _, d := range newest.Refusals {
		note(d.Distrust, d.At)
	}
	for _, d := range l.state.Unsaid {
		note(d, none)
	}
	if len(newest.Info) > 0 && newest.Number > r.known && l.o.Merge != nil {
		return l.o.Merge(newest.Info)
	}
	return nil
}

func sameDistrust(a, b kv.Distrust) bool {
	return a.Epoch == b.Epoch && slices.Equal(a.Refuse, b.Refuse) && slices.Equal(a.Forget, b.Forget) &&
		slices.Equal(a.Suspect, b.Suspect) && slices.Equal(a.Audit, b.Audit)
}

// read reads some segments, and brings those into the folder that it does not know.
func (r *reading) read(ctx context.Context, from, to uint64) error {
	segments := make([]segment, to-from+1)
	damage := make([]error, len(segments))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(readStreams)
	for i := range segments {
		g.Go(func() (err error) {
			segments[i], err = r.l.get(ctx, from+uint64(i))
			if damagedSegment(err) {
				damage[i], err = err, nil
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i := range segments {
		n := from + uint64(i)
		if damage[i] != nil {
			r.l.o.Damaged(r.l.at.Below(segmentName(n)).String(), damage[i])
			continue
		}
		if err := r.take(n, segments[i].items); err != nil {
			return err
		}
	}
	return nil
}

// take takes the items of a segment.
func (r *reading) take(number uint64, items []item) error {
	var entries []kv.Entry
	var audits []kv.Audit
	for i := range items {
		id := items[i].entry.Record.ID()
		if number < r.void[id] {
			continue
		}
		hash, err := items[i].hash()
		if err != nil {
			return err
		}
		_, again := r.there[id]
		r.there[id] = hash
		if number <= r.known {
			continue
		}
		if again {
			if err := r.replaces(&items[i].entry); err != nil {
				return err
			}
		}
		if !again {
			r.restored++
		}
		entries = append(entries, items[i].entry)
		if number >= r.audit[id] {
			audits = append(audits, kv.Audit{Window: id, Done: !items[i].due})
		}
	}
	return r.l.Ledger.Append(entries, audits...)
}

// replaces forgets an entry of the folder that came from an earlier segment and says something else: verification had
// it removed, and it was computed again.
func (r *reading) replaces(e *kv.Entry) error {
	have, found, err := r.l.Entry(e.Record.ID())
	if err != nil || !found || have.Record.SameContent(&e.Record) {
		return err
	}
	return r.l.Forget(e.Record.ID())
}

// queueMissing queues the entries of the folder that the archive lacks, or has otherwise.
func (r *reading) queueMissing(last uint64) error {
	l := r.l
	due, err := l.audits()
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	err = l.Load(func(e kv.Entry) error {
		id := e.Record.ID()
		hash, err := (&item{e, due[id]}).hash()
		if there, ok := r.there[id]; err == nil && (!ok || there != hash) {
			l.add(id)
		}
		return err
	})
	l.state.Number = last
	return errors.Join(err, l.saveState())
}

// hash tells the states of a window apart. Holders do not count: they are gone when the entry is needed.
func (i *item) hash() (uint64, error) {
	bare := *i
	bare.entry.Holders = nil
	b, err := bare.text()
	return xxhash.Sum64(b), err
}

// Runs returns the runs whose ledgers are in the archive, which may be that of any run. Errors are those of
// objects.Store.
func (a *Archive) Runs(ctx context.Context) (runs []string, err error) {
	at := a.prefix.Below(ledgers)
	err = a.store.List(ctx, at.Key, func(o objects.Object) error {
		run, name, _ := strings.Cut(strings.TrimPrefix(o.Key, at.Key), "/")
		if _, ok := parseSegment(name); ok && !slices.Contains(runs, run) {
			runs = append(runs, run)
		}
		return nil
	})
	return runs, err
}

// ErrUnconditional is returned where a server replaces an object that is to be put only if there is none.
var ErrUnconditional = errors.New(
	"the server does not keep the condition If-None-Match, without which two coordinators could write one ledger")

// CheckLedger says why no ledger can be kept here: errors are those of objects.Store, and ErrUnconditional.
func (a *Archive) CheckLedger(ctx context.Context) error {
	at := a.prefix.Below(ledgers + "conditional")
	text := "Whether this server puts an object only if there is none.\n"
	for range 2 {
		err := a.store.Put(ctx, at.Key, strings.NewReader(text), int64(len(text)), objects.New)
		if errors.Is(err, objects.ErrExists) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return fmt.Errorf("%s: %w", at, ErrUnconditional)
}
