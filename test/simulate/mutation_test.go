package simulate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mutation is a change of the program that breaks the protocol.
type mutation struct {
	name  string
	edits []edit
}

// edit replaces a text that occurs once in a file.
type edit struct{ file, old, new string }

// mutations are the changes that the simulation must find, each within mutationSeeds seeds.
var mutations = []mutation{
	{"a task is acknowledged before its windows are reported", []edit{{"internal/run/compute/commit.go",
		"	rep := protocol.Report{Run: w.o.Run, Worker: w.o.Name}\n",
		"	for _, f := range group {\n		if f.whole {\n			_ = f.d.Ack()\n		}\n	}\n" +
			"	rep := protocol.Report{Run: w.o.Run, Worker: w.o.Name}\n"}}},
	{"a report of an earlier epoch is taken", []edit{{"internal/run/coordinator/report.go",
		"if r.Epoch != c.o.Epoch || !m.Is(r.Incarnation) {",
		"if !m.Is(r.Incarnation) {"}}},
	{"the ledger does not sync what it appends", []edit{
		{"internal/kv/ledger.go", "return l.done(batch.SyncWait())", "return l.done(nil)"},
		{"internal/kv/ledger.go", "l.db.ApplyNoSyncWait(batch, pebble.Sync)", "l.db.Apply(batch, pebble.NoSync)"}}},
	{"the store does not sync its records", []edit{
		{"internal/kv/commit.go", "err = s.done(batch.SyncWait())", "err = s.done(nil)"},
		{"internal/kv/commit.go", "s.db.ApplyNoSyncWait(batch, pebble.Sync)", "s.db.Apply(batch, pebble.NoSync)"}}},
	{"the store does not sync blocks before the record", []edit{{"internal/kv/commit.go",
		"err := s.done(s.segments.sync(extents))", "err := s.done(nil)"}}},
	{"a report is answered before the ledger has it", []edit{{"internal/run/coordinator/report.go",
		"if err := errors.Join(<-written, err); err != nil {", "if err != nil {"}}},
	{"the epoch is not raised", []edit{{"internal/kv/epoch.go", "	last++\n", "	last = max(last, 1)\n"}}},
	{"a coordinator does not yield to its successor", []edit{{"internal/run/coordinator/membership.go",
		"if later && !a.Over {", "if later && a.Over {"}}},
	{"a window that is reported twice counts twice", []edit{{"internal/run/plan/commit.go",
		"if err != nil || w.Committed {\n		return nil, err\n	}\n	p.mu.Lock()",
		"if err != nil {\n		return nil, err\n	}\n	p.mu.Lock()"}}},
	{"two slots compute one window", []edit{
		{"internal/run/compute/locks.go", "if c.held[id] != nil {", "if c.held[id] != nil && id.Part < 0 {"},
		{"internal/run/compute/locks.go", "		if other == nil {\n			i++\n", "		if other == nil || i >= 0 {\n			i++\n"},
	}},
	{"rows are dropped that are still to be read", []edit{{"internal/run/coordinator/dispatch.go",
		"if p.Retains(c.o.Retention, cell) {", "if cell.Held == 0 {"},
		{"internal/run/coordinator/dispatch.go",
			"len(c.dropping.cells) < dropCells && c.dropping.bytes < dropBytes && !p.Computed()",
			"len(c.dropping.cells) == 0"}}},
	{"a report that is not taken is not sent again", []edit{{"internal/run/compute/commit.go",
		"if err != nil || !reply.Rejoin && !past {", "if err != nil || reply.Rejoin || !past {"}}},
	{"a window that waits for another attempt is forgotten", []edit{{"internal/run/coordinator/membership.go",
		"c.plan.RequeueAll(due)", "c.plan.RequeueAll(nil)"}}},
	{"holders that do not come back are awaited for ever", []edit{{"internal/run/coordinator/membership.go",
		"c.plan.AwaitedCount > 0 && c.graceOver(now)", "now.Before(c.times.begun)"}}},
	{"tasks that the queue has lost are not missed", []edit{
		{"internal/run/coordinator/dispatch.go",
			"if lost := under - known; lost > 0 {", "if lost := under - known; lost > 1e9 {"},
		{"internal/run/coordinator/stalled.go",
			"if !late && !overdue || !c.othersWork(", "if late || !late || !c.othersWork("}}},
	{"audits that are due are forgotten with a coordinator", []edit{{"internal/run/coordinator/doubt/audit.go",
		"	all := d.due\n", "	all := d.due[:0]\n"}}},
	{"a redelivered task is dropped", []edit{
		{"internal/run/compute/worker.go", "	accepted, err := w.accepts(ctx, task)\n",
			"	_, before := w.taken.LoadOrStore(task.ID, true)\n	accepted, err := w.accepts(ctx, task)\n" +
				"	accepted = accepted && !before\n"},
		{"internal/run/compute/worker.go", "	locks locks\n", "	locks locks\n	taken sync.Map\n"},
		{"internal/run/compute/worker.go", "	\"errors\"\n", "	\"errors\"\n	\"sync\"\n"}}},
	{"a coordinator begins with an empty plan", []edit{{"internal/run/plan/load.go",
		"		err := p.CommitRecord(&e.Record)\n", "		err := error(nil)\n"}}},
	{"a join does not end when a coordinator follows another", []edit{{"internal/run/compute/session.go",
		"case err == nil && (reply.Rejoin || reply.Epoch > s.epoch.Load()):",
		"case err == nil && reply.Rejoin && reply.Epoch == s.epoch.Load():"}}},
	{"a worker of another version is taken", []edit{{"internal/run/coordinator/join.go",
		"protocol.CheckVersion(j.Worker, j.Version)", "protocol.CheckVersion(j.Worker, protocol.Version)"}}},
	{"a message with a field of a later program is refused", []edit{{"internal/run/protocol/task.go",
		"decodeOne(b, limit, v, func(*json.Decoder) {})", "DecodeStrict(b, v, limit)"}}},
	{"rows that the disk cannot read are not lost", []edit{{"internal/kv/read.go",
		"if errors.Is(err, syscall.EIO) {", "if errors.Is(err, syscall.EIO) && segment == 1<<62 {"}}},
	{"a damaged store is not replaced", []edit{{"internal/run/rundir/recovery.go",
		"case !damaged(err) || o.ReadOnly:", "default:"}}},
	{"a worker reports a copy as its own result", []edit{{"internal/run/compute/worker.go",
		"again, err = w.o.Store.Copied(id)", "_, err = w.o.Store.Copied(id)"}}},
}

// drainMutations are those that TestDrains must find.
var drainMutations = []mutation{
	{"a worker leaves before others have copied its windows", []edit{{"internal/run/coordinator/membership.go",
		"reply.ToCopy, reply.Alone = c.toCopy(m), ", "reply.ToCopy, reply.Alone = 0, "}}},
	{"the windows of a worker that leaves are not copied", []edit{{"internal/run/coordinator/membership.go",
		"	if drains {\n", "	if drains && c.o.Epoch == 0 {\n"}}},
}

// texts returns the files that a mutation changes, as it leaves them, by their paths below root.
func (m *mutation) texts(root string) (map[string]string, error) {
	texts := make(map[string]string)
	for _, e := range m.edits {
		if texts[e.file] == "" {
			b, err := os.ReadFile(filepath.Join(root, e.file))
			if err != nil {
				return nil, err
			}
			texts[e.file] = string(b)
		}
		if n := strings.Count(texts[e.file], e.old); n != 1 {
			return nil, fmt.Errorf("%s: %s has %d times %q, which is to be replaced", m.name, e.file, n, e.old)
		}
		texts[e.file] = strings.Replace(texts[e.file], e.old, e.new, 1)
	}
	return texts, nil
}

// TestMutationsApply: each text that a mutation replaces is in its file once. The command make mutations checks that
// the simulation finds the mutations.
func TestMutationsApply(t *testing.T) {
	all := slices.Concat(mutations, drainMutations)
	for i := range all {
		if _, err := all[i].texts("../.."); err != nil {
			t.Error(err)
		}
	}
}
