package archive_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/fleet/archive"
	"pagoda/internal/fleet/objects"
	"pagoda/internal/fleet/objects/objectstest"
	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
)

// A machine is a coordinator with its folder.
type machine struct {
	*archive.Ledger
	folder   *kv.Ledger
	fs       *vfs.MemFS
	damaged  []string
	restored int
}

// boot starts a coordinator on a disk, which may be empty.
func boot(t testing.TB, store objects.Store, fs *vfs.MemFS, o archive.LedgerOptions) *machine {
	t.Helper()
	m := &machine{fs: fs}
	var err error
	if m.folder, err = kv.OpenLedger("ledger", run, kv.Options{FS: fs}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.folder.Close() })
	o.Info = "audits"
	o.Merge = func(value []byte) error { return m.folder.SetMeta("audits", value) }
	o.Damaged = func(url string, _ error) { m.damaged = append(m.damaged, url[strings.LastIndexByte(url, '/')+1:]) }
	o.Restored = func(n int) { m.restored += n }
	if m.Ledger, err = archive.New(store, place, run).Ledger(t.Context(), m.folder, o); err != nil {
		t.Fatal(err)
	}
	return m
}

// fresh starts a coordinator with an empty disk, which must have an epoch.
func fresh(t testing.TB, store objects.Store) *machine {
	t.Helper()
	m := boot(t, store, vfs.NewCrashableMem(), archive.LedgerOptions{Must: true})
	m.begin(t)
	return m
}

func (m *machine) begin(t testing.TB) uint64 {
	t.Helper()
	epoch, err := m.RaiseEpoch(0)
	if err != nil {
		t.Fatal(err)
	}
	return epoch
}

// entry is an entry of a window, whose content version tells apart.
func entry(i, version int, by ...string) kv.Entry {
	rec := kv.Record{Run: run, Rows: 3, Blocks: 1, Bytes: 40, Digest: blocks.Digest{byte(i), byte(version)}}
	rec.Cell, rec.Part, rec.Addresses = window(i).Window.Cell, i%10, 100
	return kv.Entry{Record: rec, Holders: by, By: by}
}

// state is all that a folder's ledger knows and the archive must keep.
func state(t testing.TB, l *kv.Ledger) string {
	t.Helper()
	var out strings.Builder
	if err := l.Load(func(e kv.Entry) error {
		e.Holders = nil
		b, err := e.Encode()
		fmt.Fprintf(&out, "%s\n", b)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	due, err := l.AuditsDue()
	refused, err1 := l.Refused()
	suspects, err2 := l.Suspects()
	info, _, err3 := l.Meta("audits")
	if err := errors.Join(err, err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&out, "%v %v %v %s", due, refused, suspects, info)
	return out.String()
}

// history is what a coordinator does in its life, a step at a time.
func history() []func(*machine) error {
	steps := []func(*machine) error{
		func(m *machine) error { _, err := m.RaiseEpoch(0); return err },
		func(m *machine) error { return m.SetMeta("audits", []byte("2 %")) },
	}
	for i := range 4 {
		steps = append(steps, func(m *machine) error {
			id := window(2 * i).Window
			return m.Append([]kv.Entry{entry(2*i, 1, "liar"), entry(2*i+1, 1, "w")}, kv.Audit{Window: id})
		}, send)
	}
	return append(steps,
		func(m *machine) error {
			return m.Append([]kv.Entry{entry(0, 1, "v")}, kv.Audit{Window: window(0).Window, Done: true})
		},
		send,
		func(m *machine) error {
			return m.Distrust(kv.Distrust{
				Epoch: 1, Refuse: []kv.Refusal{{Worker: "liar", Window: "x", Reason: "wrong"}},
				Forget:  []puzzle.WindowID{window(2).Window, window(4).Window},
				Suspect: []puzzle.WindowID{window(2).Window}, Audit: []puzzle.WindowID{window(6).Window, window(1).Window},
			})
		},
		func(m *machine) error { _, err := m.RaiseEpoch(0); return err },
		send,
		func(m *machine) error { return m.Append([]kv.Entry{entry(2, 2, "w")}) },
		send,
		func(m *machine) error {
			return m.Append([]kv.Entry{entry(1, 1, "v")}, kv.Audit{Window: window(1).Window, Done: true})
		},
		send,
	)
}

var errLeft = errors.New("changes are left")

func send(m *machine) error {
	if m.Drain(context.Background()) > 0 {
		return errLeft
	}
	return nil
}

// TestLedgerRestored: a coordinator with an empty disk goes on with everything that was in the archive.
func TestLedgerRestored(t *testing.T) {
	var store objectstest.Memory
	m := boot(t, &store, vfs.NewCrashableMem(), archive.LedgerOptions{})
	for i, step := range history() {
		if err := step(m); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	before, _ := m.folder.Epoch()
	next := fresh(t, &store)
	if got, want := state(t, next.folder), state(t, m.folder); got != want {
		t.Errorf("restored is\n%s\nwant\n%s", got, want)
	}
	if epoch, _ := next.folder.Epoch(); epoch <= before || next.restored != 7 || len(next.damaged) > 0 {
		t.Errorf("epoch %d after %d, %d windows restored, damaged %v", epoch, before, next.restored, next.damaged)
	}
	// The same folder again finds nothing new, and has nothing to write but its claim.
	n := len(store.Keys())
	again := boot(t, &store, next.fs.CrashClone(vfs.CrashCloneCfg{}), archive.LedgerOptions{})
	again.begin(t)
	if send(again) != nil || again.restored != 0 || len(store.Keys()) != n+1 {
		t.Errorf("%d windows were restored, %d objects were written", again.restored, len(store.Keys())-n)
	}
	if state(t, again.folder) != state(t, m.folder) {
		t.Error("the folder has changed")
	}
}

// dying is a store at whose operation the machine dies: before it is carried out, or after and without its answer.
type dying struct {
	objectstest.Memory
	mu    sync.Mutex
	left  int // operations until then
	after bool
	died  func()
}

var errDead = &objects.Error{URL: "test", Kind: objects.ErrAway}

func (d *dying) do(op func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.left == 0 {
		return errDead
	}
	d.left--
	if d.left > 0 {
		return op()
	}
	if d.after {
		_ = op()
	}
	d.died()
	return errDead
}

func (d *dying) Put(ctx context.Context, key string, content io.ReadSeeker, n int64, how objects.How) error {
	return d.do(func() error { return d.Memory.Put(ctx, key, content, n, how) })
}

func (d *dying) Get(ctx context.Context, key string) (body io.ReadCloser, err error) {
	err = d.do(func() (err error) { body, err = d.Memory.Get(ctx, key); return err })
	return body, err
}

func (d *dying) List(ctx context.Context, prefix string, fn func(objects.Object) error) error {
	return d.do(func() error { return d.Memory.List(ctx, prefix, fn) })
}

// TestLedgerCrashes ends a coordinator at each request to the archive, before and after the server carries it out. Its
// disk is as after a loss of power, or lost. The next coordinator goes on: then folder and archive have what they have
// without a crash. Nothing that has been brought to the archive is lost with the disk.
func TestLedgerCrashes(t *testing.T) {
	var whole objectstest.Memory
	undisturbed := boot(t, &whole, vfs.NewCrashableMem(), archive.LedgerOptions{})
	for _, step := range history() {
		if err := step(undisturbed); err != nil {
			t.Fatal(err)
		}
	}
	want := state(t, undisturbed.folder)
	for _, after := range []bool{false, true} {
		for _, lost := range []bool{false, true} {
			points := 0
			for reached := true; reached; points++ {
				t.Run(fmt.Sprintf("request %d, answered %v, disk lost %v", points+1, after, lost), func(t *testing.T) {
					reached = crashAt(t, points+1, after, lost, want)
				})
			}
			if points < 15 {
				t.Errorf("there were only %d requests", points)
			}
		}
	}
}

// crashAt has a coordinator die at a request, and another go on. It reports whether there were so many requests.
func crashAt(t *testing.T, at int, after, lost bool, want string) (reached bool) {
	d := &dying{left: at, after: after}
	disk := vfs.NewCrashableMem()
	d.died = func() {
		reached = true
		disk = disk.CrashClone(vfs.CrashCloneCfg{})
	}
	m := boot(t, d, disk, archive.LedgerOptions{Must: true})
	steps := history()
	dead, safe := len(steps), 0 // the step at which it died; the last one before it after which all was in the archive
	for i, step := range steps {
		if err := step(m); err != nil {
			dead = i
			break
		}
		if i > 2 && i%2 == 1 {
			safe = i
		}
	}
	if !reached {
		return false
	}
	if lost {
		disk = vfs.NewCrashableMem()
	}
	next := boot(t, &d.Memory, disk, archive.LedgerOptions{Must: true})
	next.begin(t)
	restored := 0
	if err := next.folder.Load(func(kv.Entry) error { restored++; return nil }); err != nil {
		t.Fatal(err)
	}
	if full := min(8, max(0, safe-1)); safe <= 9 && restored < full {
		t.Errorf("%d windows are left, %d had been brought to the archive by step %d", restored, full, safe)
	}
	// What a coordinator does depends on its ledger: it goes on with the step at which the other died, or, when its disk
	// was lost, with the first one that has an effect.
	if lost {
		dead = 0
	}
	refused, err := next.folder.Refused()
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range steps {
		if i < dead || i >= 2 && i < 13 && len(refused) > 0 {
			continue
		}
		if err := step(next); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	if got := state(t, next.folder); got != want {
		t.Errorf("died at step %d: the folder has\n%s\nwant\n%s", dead, got, want)
	}
	if got := state(t, fresh(t, &d.Memory).folder); got != want {
		t.Errorf("died at step %d: the archive has\n%s\nwant\n%s", dead, got, want)
	}
	return true
}

// TestSuccession has coordinators of one run begin and write at random. What is in the archive is always the work of
// the last that has begun, after that of the others.
func TestSuccession(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var store objectstest.Memory
	var all []*machine
	for n := 0; n < 200; n++ {
		if len(all) == 0 || rng.IntN(10) == 0 {
			all = append(all, fresh(t, &store))
		}
		m := all[rng.IntN(len(all))]
		latest := m == all[len(all)-1]
		if err := m.Append([]kv.Entry{entry(n, 1, "w")}); err != nil {
			t.Fatal(err)
		}
		before := len(store.Keys())
		if left := m.Drain(t.Context()); left != 0 {
			t.Fatalf("%d changes are left", left)
		}
		if wrote := len(store.Keys()) > before; wrote != latest {
			t.Fatalf("step %d: a coordinator wrote: %v, it is the latest: %v", n, wrote, latest)
		}
		if latest {
			continue
		}
		epoch := uint64(0)
		if err := m.Run(t.Context(), func(e uint64) { epoch = e }); err != nil {
			t.Fatal(err)
		}
		if own, _ := m.folder.Epoch(); epoch <= own {
			t.Fatalf("epoch %d was said to follow %d", epoch, own)
		}
		var after *archive.Succeeded
		if _, err := m.RaiseEpoch(0); !errors.As(err, &after) {
			t.Fatalf("it began again: %v", err)
		}
		all = slices.DeleteFunc(all, func(o *machine) bool { return o == m })
	}
}

// TestDamagedLedger damages each segment in each way. Its windows are lost, it is named, and nothing else is lost,
// least of all a refusal.
func TestDamagedLedger(t *testing.T) {
	var store objectstest.Memory
	m := boot(t, &store, vfs.NewCrashableMem(), archive.LedgerOptions{})
	for _, step := range history() {
		if err := step(m); err != nil {
			t.Fatal(err)
		}
	}
	m = fresh(t, &store) // so that the last segment is a claim
	count := func(m *machine) (n int) {
		_ = m.folder.Load(func(kv.Entry) error { n++; return nil })
		return n
	}
	keys := store.Keys()
	other, _ := store.Content(keys[1])
	for i, key := range keys {
		whole, _ := store.Content(key)
		flipped := bytes.Clone(whole)
		flipped[len(flipped)/2] ^= 1
		for name, content := range map[string][]byte{
			"empty": {}, "flipped": flipped, "cut": whole[:len(whole)-1], "longer": append(bytes.Clone(whole), 0),
			"another": other, "removed": nil,
		} {
			if name == "another" && i == 1 || name == "removed" && i == len(keys)-1 {
				continue // that one is whole, and the last cannot be missed
			}
			if store.Set(key, content); name == "removed" {
				store.Remove(key)
			}
			next := fresh(t, &store)
			if want := key[strings.LastIndexByte(key, '/')+1:]; !slices.Equal(next.damaged, []string{want}) {
				t.Errorf("segment %s %s: said of %v", want, name, next.damaged)
			}
			refused, err := next.folder.Refused()
			if n := count(next); err != nil || len(refused) != 1 || n < count(m)-2 {
				t.Errorf("segment %d %s: %d windows of %d, %d refusals, %v", i+1, name, n, count(m), len(refused), err)
			}
			if err := next.folder.Load(func(e kv.Entry) error {
				if (e.Record.Part == 2 || e.Record.Part == 4) && e.Record.Digest[1] == 1 {
					t.Errorf("segment %d %s: a refused window is back", i+1, name)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			// The next ones do not have the claims of this one.
			for _, k := range store.Keys() {
				if !slices.Contains(keys, k) {
					store.Remove(k)
				}
			}
		}
		store.Set(key, whole)
	}
	// The whole folder of a coordinator heals the archive.
	store.Set(keys[3], []byte("nonsense"))
	again := boot(t, &store, m.fs.CrashClone(vfs.CrashCloneCfg{}), archive.LedgerOptions{})
	again.begin(t)
	if err := send(again); err != nil {
		t.Fatal(err)
	}
	if got := state(t, fresh(t, &store).folder); got != state(t, m.folder) {
		t.Errorf("the archive has\n%s\nwant\n%s", got, state(t, m.folder))
	}
}

// TestLedgerAway: a run begins while the archive is away, unless it is to go on from there, and its ledger follows. If
// another coordinator has been there meanwhile, it ends.
func TestLedgerAway(t *testing.T) { synctest.Test(t, testLedgerAway) }

func testLedgerAway(t *testing.T) {
	for _, taken := range []bool{false, true} {
		var store objectstest.Memory
		away := func(string, string) error { return &objects.Error{URL: "test", Kind: objects.ErrAway} }
		store.Fail(away)
		must := boot(t, &store, vfs.NewCrashableMem(), archive.LedgerOptions{Must: true})
		if _, err := must.RaiseEpoch(0); !errors.Is(err, objects.ErrAway) {
			t.Errorf("a run that is to go on from an archive that is away: %v", err)
		}
		var troubles []bool
		m := boot(t, &store, vfs.NewCrashableMem(), archive.LedgerOptions{
			Trouble: func(err error) { troubles = append(troubles, err != nil) },
		})
		m.begin(t)
		if err := m.Append([]kv.Entry{entry(3, 1, "w")}); err != nil {
			t.Fatal(err)
		}
		if m.Drain(t.Context()) == 0 {
			t.Error("nothing is left while the archive is away")
		}
		store.Fail(nil)
		if taken {
			fresh(t, &store)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // virtual
		fenced := false
		if err := m.Run(ctx, func(uint64) { fenced = true }); err != nil {
			t.Fatal(err)
		}
		cancel()
		if fenced != taken {
			t.Errorf("taken %v, fenced %v", taken, fenced)
		}
		if !taken && (!slices.Equal(troubles, []bool{true, false}) || fresh(t, &store).restored != 1) {
			t.Errorf("troubles %v", troubles)
		}
	}
}

// TestIdleCoordinator: a coordinator with nothing to write finds out that another has begun.
func TestIdleCoordinator(t *testing.T) { synctest.Test(t, testIdleCoordinator) }

func testIdleCoordinator(t *testing.T) {
	var store objectstest.Memory
	m := fresh(t, &store)
	told := make(chan uint64, 1)
	go func() { _ = m.Run(t.Context(), func(epoch uint64) { told <- epoch }) }()
	synctest.Wait()
	next := fresh(t, &store)
	if own, _ := next.folder.Epoch(); <-told != own {
		t.Error("it was told of another epoch")
	}
}

// TestUnconditional: a server that replaces objects in spite of the condition is refused.
func TestUnconditional(t *testing.T) {
	var store objectstest.Memory
	for range 2 {
		if err := archive.New(&store, place, run).CheckLedger(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if err := archive.New(&careless{}, place, run).CheckLedger(t.Context()); !errors.Is(err, archive.ErrUnconditional) {
		t.Errorf("got %v", err)
	}
}

type careless struct{ objectstest.Memory }

func (c *careless) Put(ctx context.Context, key string, content io.ReadSeeker, n int64, _ objects.How) error {
	return c.Memory.Put(ctx, key, content, n, objects.Replace)
}

// TestUnseen: a server that says of a segment that it exists, and does not list it, is not asked without end.
func TestUnseen(t *testing.T) { synctest.Test(t, testUnseen) }

func testUnseen(t *testing.T) {
	var store objectstest.Memory
	store.Fail(func(op, key string) error {
		if op == "put" {
			return &objects.Error{URL: key, Kind: objects.ErrExists}
		}
		return nil
	})
	m := boot(t, &store, vfs.NewCrashableMem(), archive.LedgerOptions{})
	const want = "/0000000001: the server says that it exists"
	if _, err := m.RaiseEpoch(0); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

// TestRuns lists the runs that have ledgers.
func TestRuns(t *testing.T) {
	var store objectstest.Memory
	fresh(t, &store)
	store.Set("deep/ledger/ffffffffffff/0000000001", nil)
	store.Set("deep/ledger/eeeeeeeeeeee/1", nil)
	store.Set("deep/ledger/conditional", nil)
	got, err := archive.New(&store, place, run).Runs(t.Context())
	if want := []string{run, "ffffffffffff"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestLedgerSizes: many changes at once go into several segments, and many segments are read.
func TestLedgerSizes(t *testing.T) {
	for _, c := range []struct{ appends, entries, segments int }{{1, 9000, 3}, {40, 1, 40}} {
		var store objectstest.Memory
		m := fresh(t, &store)
		for n := range c.appends {
			var entries []kv.Entry
			for i := range c.entries {
				entries = append(entries, entry(n*c.entries+i, 1, "w"))
			}
			if err := errors.Join(m.Append(entries), send(m)); err != nil {
				t.Fatal(err)
			}
		}
		if got := len(store.Keys()); got != 1+c.segments {
			t.Errorf("%d times %d windows are in %d objects", c.appends, c.entries, got)
		}
		if next := fresh(t, &store); next.restored != c.appends*c.entries || state(t, next.folder) != state(t, m.folder) {
			t.Errorf("%d windows were restored of %d times %d", next.restored, c.appends, c.entries)
		}
	}
}
