package archive

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"pagoda/internal/fleet/objects"
	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/pause"
)

// LedgerOptions tune a Ledger.
type LedgerOptions struct {
	// Must: without the archive, no epoch begins. Otherwise a run begins while the archive is away.
	Must bool
	// Info names a value of the ledger that is kept in the archive too, see kv.Ledger.SetMeta. Merge brings a value that
	// another coordinator has kept into the ledger.
	Info  string
	Merge func(value []byte) error
	// Restored is called when entries of the archive have been taken over, Damaged for each segment that cannot be read,
	// Trouble when the archive cannot be used, and with nil when it can again. nil: they are not.
	Restored func(windows int)
	Damaged  func(url string, err error)
	Trouble  func(err error)
}

// A Ledger is the ledger of a coordinator that is kept in the archive too. Changes are durable in the folder first, and
// no caller waits for the archive: Run brings them there. Safe for concurrent use.
//
// It claims the archive's ledger with each epoch. Then a coordinator that had it before cannot write there any more,
// and Run tells it so.
type Ledger struct {
	*kv.Ledger
	ctx      context.Context //nolint:containedctx // of RaiseEpoch, whose interface has none
	store    objects.Store
	at       objects.Location // the beginning of the names of segments
	run      string
	o        LedgerOptions
	instance string

	mu     sync.Mutex // of what waits
	queue  []puzzle.WindowID
	queued map[puzzle.WindowID]bool
	wake   chan struct{} // has room for one
	// state is kept in the folder, and refusals are all of the archive: those in state.Unsaid come after them.
	state    ledgerState
	refusals []refusal

	sending  sync.Mutex // held while the archive's ledger is read or written
	claimed  bool       // in the present epoch
	epoch    uint64     // the present one, or the last in the archive before there is one
	flying   *flight    // the segment whose fate is not known
	troubled bool
}

// A flight is a segment on its way.
type flight struct {
	number  uint64
	content []byte
	windows []puzzle.WindowID
	unsaid  int // refusals in it that no earlier segment has
}

// ledgerState is what a folder knows of the archive's ledger.
type ledgerState struct {
	Archive string        `json:"archive"`
	Number  uint64        `json:"number"` // of the last segment whose entries are in the folder
	Unsaid  []kv.Distrust `json:"unsaid,omitempty"`
}

// stateName is where a folder keeps it.
const stateName = "archive"

const (
	// gathering is the pause after a segment: windows committed meanwhile share the next.
	gathering = 200 * time.Millisecond
	// maxUnseen is how often the server may say that a segment is there which it does not list.
	maxUnseen = 5
	// probeEvery is how often a coordinator that has nothing to write looks whether another has written.
	probeEvery = 10 * time.Second
)

// ledgers is where the ledgers of all runs are, below the archive's prefix. No run can have the name.
const ledgers = "ledger/"

// Ledger returns the ledger of a coordinator whose folder has l. It makes no request. ctx bounds the use of RaiseEpoch.
func (a *Archive) Ledger(ctx context.Context, l *kv.Ledger, o LedgerOptions) (*Ledger, error) {
	if o.Restored == nil {
		o.Restored = func(int) {}
	}
	if o.Damaged == nil {
		o.Damaged = func(string, error) {}
	}
	if o.Trouble == nil {
		o.Trouble = func(error) {}
	}
	g := &Ledger{
		Ledger: l, ctx: ctx, store: a.store, at: a.ledger(), run: a.run, o: o, instance: rand.Text(),
		queued: make(map[puzzle.WindowID]bool), wake: make(chan struct{}, 1),
	}
	return g, g.loadState()
}

// ledger is where the segments of the run's ledger are.
func (a *Archive) ledger() objects.Location { return a.prefix.Below(ledgers + a.run + "/") }

// String is the URL of the archive's ledger.
func (l *Ledger) String() string { return l.at.String() }

// loadState reads what the folder knows of the archive's ledger. Refusals from before there was an archive are new to
// it, and so are those that a crash has kept from it; the latter may not even be in the folder's ledger yet.
func (l *Ledger) loadState() error {
	b, found, err := l.Meta(stateName)
	if err != nil {
		return err
	}
	if found {
		if err := json.Unmarshal(b, &l.state); err != nil {
			return fmt.Errorf("ledger: %w: what it knows of the archive: %w", kv.ErrCorrupt, err)
		}
	}
	if l.state.Archive == l.at.String() {
		for _, d := range l.state.Unsaid {
			if err := l.distrust(d); err != nil {
				return err
			}
		}
		return nil
	}
	l.state = ledgerState{Archive: l.at.String()}
	refused, err := l.Refused()
	if err != nil {
		return err
	}
	suspects, err := l.Suspects()
	if err != nil {
		return err
	}
	if len(refused)+len(suspects) == 0 {
		return nil
	}
	d := kv.Distrust{Refuse: refused}
	for id, epoch := range suspects {
		d.Suspect = append(d.Suspect, id)
		d.Epoch = max(d.Epoch, epoch)
	}
	l.state.Unsaid = []kv.Distrust{d}
	return nil
}

// saveState keeps the state in the folder. The caller holds mu.
func (l *Ledger) saveState() error {
	b, err := json.Marshal(l.state)
	if err != nil {
		return err
	}
	return l.SetMeta(stateName, b)
}

// distrust carries out d in the folder, without those refusals that it has.
func (l *Ledger) distrust(d kv.Distrust) error {
	have, err := l.Refused()
	if err != nil {
		return err
	}
	known := make(map[kv.Refusal]bool)
	for _, r := range have {
		known[r] = true
	}
	var refuse []kv.Refusal
	for _, r := range d.Refuse {
		if !known[r] {
			refuse = append(refuse, r)
		}
	}
	d.Refuse = refuse
	return l.Ledger.Distrust(d)
}

// Append is that of kv.Ledger.
func (l *Ledger) Append(entries []kv.Entry, audits ...kv.Audit) error {
	if err := l.Ledger.Append(entries, audits...); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range entries {
		l.add(entries[i].Record.ID())
	}
	for _, a := range audits {
		l.add(a.Window)
	}
	l.rouse()
	return nil
}

// add queues a window, whose entry has changed. The caller holds mu.
func (l *Ledger) add(id puzzle.WindowID) {
	if !l.queued[id] {
		l.queued[id] = true
		l.queue = append(l.queue, id)
	}
}

func (l *Ledger) rouse() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Distrust is that of kv.Ledger. A crash on the way to the archive does not lose it: it is noted before it is done.
func (l *Ledger) Distrust(d kv.Distrust) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state.Unsaid = append(l.state.Unsaid, d)
	if err := l.saveState(); err != nil {
		return err
	}
	l.rouse()
	return l.Ledger.Distrust(d)
}

// RaiseEpoch begins an epoch, as that of kv.Ledger does, greater than those of the coordinators before it in the
// archive. First it takes over their entries that the folder lacks. Errors are those of the folder, *kv.ConflictError
// where the archive contradicts it, those of objects.Store where the keys may not do that, and with Must all of them;
// *Succeeded when another coordinator has claimed the archive's ledger since this process did.
func (l *Ledger) RaiseEpoch(above uint64) (uint64, error) {
	l.sending.Lock()
	defer l.sending.Unlock()
	again := l.claimed // by this process, and what it has not written itself is its successor's
	l.claimed = false
	for last, unseen := uint64(none), 0; ; {
		after, err := l.catchUp(l.ctx, !again)
		if err != nil {
			return l.unclaimed(above, err)
		}
		if after != nil {
			return 0, &Succeeded{after.Epoch}
		}
		if last != l.number() {
			last, unseen = l.number(), 0
		} else if unseen++; unseen == maxUnseen {
			return 0, fmt.Errorf("%s: the server says that it exists, and does not list it", l.at.Below(segmentName(last+1)))
		} else if err := pause.For(l.ctx, firstWait); err != nil {
			return 0, err
		}
		epoch, err := l.Ledger.RaiseEpoch(max(above, l.epoch))
		if err != nil {
			return 0, err
		}
		l.epoch = epoch
		switch err := l.claim(l.ctx); {
		case err == nil:
			return epoch, nil
		case !errors.Is(err, objects.ErrExists): // otherwise another coordinator has written in this moment
			return l.unclaimed(epoch-1, err)
		}
	}
}

// unclaimed begins an epoch without the archive where err is one that passes.
func (l *Ledger) unclaimed(above uint64, err error) (uint64, error) {
	passes := errors.Is(err, objects.ErrAway) || errors.Is(err, objects.ErrFull)
	if l.o.Must || !passes || l.ctx.Err() != nil {
		return 0, fmt.Errorf("the ledger in the archive: %w", err)
	}
	l.trouble(err)
	epoch, err := l.Ledger.RaiseEpoch(above)
	l.epoch = epoch
	return epoch, err
}

// trouble tells of a change between an archive that can be used and one that cannot.
func (l *Ledger) trouble(err error) {
	if was := l.troubled; was || err != nil {
		l.troubled = err != nil
		if was != l.troubled {
			l.o.Trouble(err)
		}
	}
}

// claim puts the first segment of an epoch, which has no windows. Errors wrap objects.ErrExists when its number has
// been taken.
func (l *Ledger) claim(ctx context.Context) error {
	f, err := l.prepare(0)
	if err != nil {
		return err
	}
	if err := l.put(ctx, f); err != nil {
		return err
	}
	l.claimed = true
	return l.landed(f)
}

// prepare makes the next segment of at most so many windows.
func (l *Ledger) prepare(most int) (*flight, error) {
	l.mu.Lock()
	f := &flight{number: l.state.Number + 1, unsaid: len(l.state.Unsaid)}
	h := head{
		Format: segmentFormat, Run: l.run, Number: f.number, Epoch: l.epoch, Instance: l.instance,
		Refusals: slices.Clone(l.refusals),
	}
	for _, d := range l.state.Unsaid {
		h.Refusals = append(h.Refusals, refusal{f.number, d})
	}
	l.mu.Unlock()
	var err error
	if h.Info, _, err = l.Meta(l.o.Info); err != nil {
		return nil, err
	}
	// Whatever changes from here on is queued again.
	windows := l.take(most)
	due, err := l.audits()
	if err != nil {
		return nil, err
	}
	var lines bytes.Buffer
	for len(windows) > 0 && lines.Len() < wantBytes {
		id := windows[0]
		windows, f.windows = windows[1:], append(f.windows, id)
		e, found, err := l.Entry(id)
		if err != nil {
			return nil, err
		}
		if !found {
			continue // it was forgotten
		}
		line, err := (&item{e, due[id]}).text()
		if err != nil {
			return nil, err
		}
		lines.Write(line)
		h.Items++
	}
	l.giveBack(windows)
	f.content, err = pack(&h, lines.Bytes())
	return f, err
}

// take takes at most so many windows from the queue.
func (l *Ledger) take(most int) []puzzle.WindowID {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := min(most, len(l.queue))
	windows := l.queue[:n:n]
	l.queue = l.queue[n:]
	for _, id := range windows {
		delete(l.queued, id)
	}
	return windows
}

// giveBack queues windows that were taken.
func (l *Ledger) giveBack(windows []puzzle.WindowID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range windows {
		l.add(id)
	}
}

// audits returns the windows whose audits are due.
func (l *Ledger) audits() (map[puzzle.WindowID]bool, error) {
	ids, err := l.AuditsDue()
	due := make(map[puzzle.WindowID]bool, len(ids))
	for _, id := range ids {
		due[id] = true
	}
	return due, err
}

func (l *Ledger) put(ctx context.Context, f *flight) error {
	return l.store.Put(ctx, l.at.Below(segmentName(f.number)).Key, bytes.NewReader(f.content), int64(len(f.content)),
		objects.New)
}

// landed notes that a segment is in the archive.
func (l *Ledger) landed(f *flight) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range l.state.Unsaid[:f.unsaid] {
		l.refusals = append(l.refusals, refusal{f.number, d})
	}
	l.state.Number, l.state.Unsaid = f.number, l.state.Unsaid[f.unsaid:]
	return l.saveState()
}

// waiting reports whether something is to be written.
func (l *Ledger) waiting() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.flying != nil || len(l.queue)+len(l.state.Unsaid) > 0
}

// Succeeded is the error of a coordinator after which another has claimed the ledger in the archive.
type Succeeded struct{ Epoch uint64 }

func (s *Succeeded) Error() string {
	return fmt.Sprintf("the ledger in the archive is another coordinator's, in epoch %d", s.Epoch)
}

// send writes the next segment, or looks whether another coordinator has written.
func (l *Ledger) send(ctx context.Context) error {
	l.sending.Lock()
	defer l.sending.Unlock()
	if !l.claimed {
		switch after, err := l.catchUp(ctx, false); {
		case err != nil:
			return err
		case after != nil:
			return &Succeeded{max(after.Epoch, l.epoch+1)}
		}
		if err := l.claim(ctx); errors.Is(err, objects.ErrExists) {
			return l.whose(ctx, l.number()+1)
		} else if err != nil {
			return err
		}
	}
	if !l.waiting() {
		return l.probe(ctx)
	}
	if l.flying == nil {
		f, err := l.prepare(maxItems)
		if err != nil {
			return err
		}
		l.flying = f
	}
	f := l.flying
	err := l.put(ctx, f)
	if errors.Is(err, objects.ErrExists) {
		err = l.whose(ctx, f.number)
	}
	if err != nil {
		return err
	}
	l.flying = nil
	return l.landed(f)
}

// probe returns a *Succeeded when another coordinator has written the next segment.
func (l *Ledger) probe(ctx context.Context) error {
	err := l.whose(ctx, l.number()+1)
	if errors.Is(err, objects.ErrNotFound) {
		return nil
	}
	return err
}

func (l *Ledger) number() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.Number
}

// whose returns a *Succeeded unless this process has written a segment, whose confirmation was lost then.
func (l *Ledger) whose(ctx context.Context, number uint64) error {
	s, err := l.get(ctx, number)
	switch {
	case errors.Is(err, kv.ErrCorrupt) || errors.Is(err, kv.ErrFormat):
		return &Succeeded{l.epoch + 1}
	case err != nil:
		return err
	case s.Instance != l.instance:
		return &Succeeded{max(s.Epoch, l.epoch+1)}
	}
	return nil
}

// Run brings changes to the archive until ctx is done, or until another coordinator has claimed the archive's ledger:
// then it calls fenced with its epoch, or the next one where that is not known. An archive that is away is tried again.
// Errors are those of the folder.
func (l *Ledger) Run(ctx context.Context, fenced func(epoch uint64)) error {
	for wait := firstWait; ; {
		err := l.send(ctx)
		var after *Succeeded
		var away *objects.Error
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // it was told to end
		case errors.As(err, &after):
			fenced(after.Epoch)
			return nil
		case errors.As(err, &away):
			l.trouble(err)
			_ = pause.For(ctx, wait) // when ctx is done, the next attempt says so
			wait = min(2*wait, lastWait)
			continue
		case err != nil:
			return fmt.Errorf("the ledger in the archive: %w", err)
		}
		wait = firstWait
		l.trouble(nil)
		if !l.rest(ctx) {
			return nil
		}
	}
}

// rest waits for something to write, and then for more of it. It reports whether ctx goes on.
func (l *Ledger) rest(ctx context.Context) bool {
	if !l.waiting() {
		probe := time.NewTimer(probeEvery)
		defer probe.Stop()
		select {
		case <-l.wake:
		case <-probe.C:
		case <-ctx.Done():
			return false
		}
	}
	return pause.For(ctx, gathering) == nil
}

// Drain brings everything to the archive, until something fails. It returns how many changes are left, of a ledger that
// another coordinator has claimed none.
func (l *Ledger) Drain(ctx context.Context) (left int) {
	for l.waiting() {
		if err := l.send(ctx); err != nil {
			if after := (*Succeeded)(nil); errors.As(err, &after) {
				return 0
			}
			break
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	left = len(l.queue) + len(l.state.Unsaid)
	if l.flying != nil {
		left += len(l.flying.windows)
	}
	return left
}

// none is a segment after all others.
const none = math.MaxUint64
