//go:build mutations

package simulate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var only = flag.String("mutation", "", "of TestMutations: those whose name contains this")

// mutation is a change of the program that breaks the protocol.
type mutation struct {
	name  string
	edits []edit
}

// edit replaces a text that occurs once in a file.
type edit struct{ file, old, new string }

// mutations are what the simulation is to find, each within mutationSeeds seeds.
var mutations = []mutation{
	{"a task is acknowledged before its windows are reported", []edit{{"internal/compute/commit.go",
		"	rep := protocol.Report{Run: w.o.Run, Worker: w.o.Name}\n",
		"	for _, f := range group {\n		if f.whole {\n			_ = f.d.Ack()\n		}\n	}\n" +
			"	rep := protocol.Report{Run: w.o.Run, Worker: w.o.Name}\n"}}},
	{"a report of an earlier epoch is taken", []edit{{"internal/coordinator/membership.go",
		"if r.Epoch != c.o.Epoch || m == nil || m.incarnation != r.Incarnation {",
		"if m == nil || m.incarnation != r.Incarnation {"}}},
	{"the ledger does not sync what it appends", []edit{
		{"internal/kv/ledger.go", "return l.done(batch.SyncWait())", "return l.done(nil)"},
		{"internal/kv/ledger.go", "l.db.ApplyNoSyncWait(batch, pebble.Sync)", "l.db.Apply(batch, pebble.NoSync)"}}},
	{"the store does not sync its records", []edit{
		{"internal/kv/commit.go", "err = s.done(batch.SyncWait())", "err = s.done(nil)"},
		{"internal/kv/commit.go", "s.db.ApplyNoSyncWait(batch, pebble.Sync)", "s.db.Apply(batch, pebble.NoSync)"}}},
	{"the store does not sync blocks before the record", []edit{{"internal/kv/commit.go",
		"err := s.done(s.segments.sync(extents))", "err := s.done(nil)"}}},
	{"a report is answered before the ledger has it", []edit{{"internal/coordinator/coordinator.go",
		"if err := errors.Join(<-written, err); err != nil {", "if err != nil {"}}},
	{"the epoch is not raised", []edit{{"internal/kv/epoch.go", "	last++\n", "	last = max(last, 1)\n"}}},
	{"a coordinator does not yield to its successor", []edit{{"internal/coordinator/membership.go",
		"if later && !a.Over {", "if later && a.Over {"}}},
	{"a window that is reported twice counts twice", []edit{{"internal/plan/commit.go",
		"if err != nil || w.Committed {\n		return nil, err\n	}\n	p.mu.Lock()",
		"if err != nil {\n		return nil, err\n	}\n	p.mu.Lock()"}}},
	{"two slots compute one window", []edit{{"internal/compute/locks.go",
		"other := c.held[id]\n", "other := c.held[id]\n		other = nil\n"}}},
	{"rows are dropped that are still to be read", []edit{{"internal/coordinator/dispatch.go",
		"if cell.Held == 0 || p.Retains(c.o.Retention, cell) {", "if cell.Held == 0 {"},
		{"internal/coordinator/dispatch.go", "len(c.dropping) < dropCells && c.dropBytes < dropBytes && !p.Finished()",
			"len(c.dropping) == 0"}}},
	{"a report that is not taken is not sent again", []edit{{"internal/compute/commit.go",
		"if err != nil || !reply.Rejoin && !past {", "if err != nil || reply.Rejoin || !past {"}}},
	{"a window that waits for another attempt is forgotten", []edit{{"internal/coordinator/retry.go",
		"		c.plan.Requeue(cell, c.retries[n].id.Part)\n", "		_ = cell\n"}}},
	{"holders that do not come back are awaited for ever", []edit{{"internal/coordinator/membership.go",
		"if c.plan.AwaitedCount > 0 && now.Sub(c.begun) > c.members.o.RejoinGrace {",
		"if c.plan.AwaitedCount > 0 && now.Sub(c.begun) < 0 {"}}},
	{"tasks that the queue has lost are not missed", []edit{
		{"internal/coordinator/dispatch.go",
			"if lost := under - known; lost > 0 {", "if lost := under - known; lost > 1e9 {"},
		{"internal/coordinator/stalled.go", "if now.Sub(t.since) > c.patience(t.to) {", "if now.Sub(t.since) < 0 {"}}},
	{"audits that are due are forgotten with a coordinator", []edit{{"internal/coordinator/audit.go",
		"	later := c.auditsDue[:0]\n", "	c.auditsDue = nil\n	later := c.auditsDue[:0]\n"}}},
	{"a redelivered task is dropped", []edit{
		{"internal/compute/worker.go", "	accepted, err := w.accepts(ctx, task)\n",
			"	_, before := w.taken.LoadOrStore(task.ID, true)\n	accepted, err := w.accepts(ctx, task)\n" +
				"	accepted = accepted && !before\n"},
		{"internal/compute/worker.go", "	locks locks\n", "	locks locks\n	taken sync.Map\n"},
		{"internal/compute/worker.go", "	\"errors\"\n", "	\"errors\"\n	\"sync\"\n"}}},
	{"a coordinator begins with an empty plan", []edit{{"internal/plan/load.go",
		"		err := p.CommitRecord(&e.Record)\n", "		err := error(nil)\n"}}},
	{"a join does not end when a coordinator follows another", []edit{{"internal/compute/session.go",
		"case err == nil && (reply.Rejoin || reply.Epoch > s.epoch.Load()):",
		"case err == nil && reply.Rejoin && reply.Epoch == s.epoch.Load():"}}},
	{"a worker of another version is taken", []edit{{"internal/coordinator/join.go",
		"protocol.CheckVersion(j.Worker, j.Version)", "protocol.CheckVersion(j.Worker, protocol.Version)"}}},
	{"a message with a field of a later program is refused", []edit{{"internal/protocol/task.go",
		"decodeOne(b, limit, v, func(*json.Decoder) {})", "DecodeStrict(b, v, limit)"}}},
	{"rows that the disk cannot read are not lost", []edit{{"internal/kv/read.go",
		"if errors.Is(err, syscall.EIO) {", "if errors.Is(err, syscall.EIO) && segment == 1<<62 {"}}},
	{"a damaged store is not replaced", []edit{{"internal/rundir/recovery.go",
		"case !damaged(err) || o.ReadOnly:", "default:"}}},
}

// mutationSeeds is how many seeds a mutation may take.
const mutationSeeds = 1000

var (
	foundLine = regexp.MustCompile(`seed (\d+): at (\S+) ([^:]+): (.*)`)
	lastSeed  = regexp.MustCompile(`(?m)^begins seed (\d+)$`)
)

// TestMutations breaks the program on purpose, one way after the other, and has the simulation find it.
func TestMutations(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	for _, m := range mutations {
		if !strings.Contains(m.name, *only) {
			continue
		}
		found, how := m.hunt(t, root)
		if found == 0 {
			t.Errorf("%s: not found in %d seeds", m.name, mutationSeeds)
			how = "not found"
		}
		fmt.Fprintf(&table, "| %s | %d | %s |\n", m.name, found, how)
	}
	t.Logf("what, seeds, how\n%s", table.String())
}

// hunt builds the simulation with the mutation in it, and returns how many seeds it took to find it, 0 for none.
func (m *mutation) hunt(t *testing.T, root string) (seeds int, how string) {
	dir := t.TempDir()
	replace := make(map[string]string)
	// The Go runtime whose choices follow from the seed, when tools/simulate has made one.
	if b, err := os.ReadFile(filepath.Join(root, ".bin/simulate/overlay.json")); err == nil {
		var o struct{ Replace map[string]string }
		if err := json.Unmarshal(b, &o); err != nil {
			t.Fatal(err)
		}
		replace = o.Replace
	}
	texts := make(map[string]string)
	for _, e := range m.edits {
		if texts[e.file] == "" {
			b, err := os.ReadFile(filepath.Join(root, e.file))
			if err != nil {
				t.Fatal(err)
			}
			texts[e.file] = string(b)
		}
		if n := strings.Count(texts[e.file], e.old); n != 1 {
			t.Fatalf("%s: %s has %d times %q", m.name, e.file, n, e.old)
		}
		texts[e.file] = strings.Replace(texts[e.file], e.old, e.new, 1)
	}
	for file, text := range texts {
		to := filepath.Join(dir, filepath.Base(file))
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(root, file)] = to
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	overlay, bin := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "mutant.test")
	if err = errors.Join(err, os.WriteFile(overlay, b, 0o600)); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(),
		"go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", bin, "./test/simulate")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", m.name, err, out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	run := exec.CommandContext(ctx,
		bin, "-test.run", "^TestSeeds$", "-test.v", "-seeds", fmt.Sprint(mutationSeeds), "-first")
	var out bytes.Buffer
	run.Stdout, run.Stderr = &out, &out
	err = run.Run()
	begun := 0
	if all := lastSeed.FindAllStringSubmatch(out.String(), -1); len(all) > 0 {
		_, _ = fmt.Sscan(all[len(all)-1][1], &begun)
	}
	if f := foundLine.FindStringSubmatch(out.String()); f != nil {
		t.Logf("%s: %s", m.name, f[0])
		return begun, f[3]
	}
	switch {
	case ctx.Err() != nil:
		return begun, "it never ends"
	case err != nil:
		t.Logf("%s: %v\n%.2000s", m.name, err, out.String()[max(0, out.Len()-2000):])
		return begun, "it panics"
	}
	return 0, ""
}
