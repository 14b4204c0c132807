package coordinator

import (
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/status"
	"pagoda/internal/run/trust"
)

// TestStatusAgain: a status counts the committed windows whose rows are lost and wanted, until a worker has them.
func TestStatusAgain(t *testing.T) {
	b := newBoard(t, plantest.Grid(3), map[string]int{"a": 1})
	cell := b.plan.Index[b.plan.PlannedLayers[0].Plans[0].Cell]
	if _, err := b.plan.Account(&kv.Record{Window: cell.Window(0)}); err != nil {
		t.Fatal(err)
	}
	b.plan.WantAll(plan.RetainAll)
	if s := b.state(); s.Again != 1 || s.Pending <= 1 {
		t.Errorf("%d of %d pending windows again, want the one that is committed", s.Again, s.Pending)
	}
	if err := b.plan.AddReplica(cell.WindowID(0), "a"); err != nil {
		t.Fatal(err)
	}
	if s := b.state(); s.Again != 0 {
		t.Errorf("%d windows again, and somebody holds the only one", s.Again)
	}
}

// TestStatusReady: without a worker, the windows of the first layer can be computed.
func TestStatusReady(t *testing.T) {
	b := newBoard(t, plantest.Grid(3), nil)
	if s := b.state(); s.Ready != b.plan.PlannedLayers[0].Windows || s.Ready == 0 || s.Pending <= s.Ready {
		t.Errorf("%d of %d pending windows are ready, want those of the first layer", s.Ready, s.Pending)
	}
}

// TestStatusAudits: the status of a coordinator that workers may join has its settings of audits, and words.
func TestStatusAudits(t *testing.T) {
	b := newBoard(t, plantest.Grid(3), map[string]int{"a": 1})
	b.o.AuditFraction, b.o.AuditAlone, b.o.LeastAudits = 0.5, true, &trust.Shares{All: 0.1, Own: 0.1}
	cell := b.plan.Index[b.plan.PlannedLayers[0].Plans[0].Cell]
	rec := kv.Record{Window: cell.Window(0)}
	if err := b.plan.CommitRecord(&rec); err != nil {
		t.Fatal(err)
	}
	b.plan.NoteReporters(&cell.Parts[0], "a", "x")
	b.doubt.Load(nil, []kv.Refusal{{Worker: "x"}}, nil)
	want := trust.Words{One: 1, Parties: 1, Audits: b.o.LeastAudits}
	if s := b.state(); s.AuditFraction != 0.5 || s.AuditBy != status.AuditByCoordinator || *s.Words != want {
		t.Errorf("audits of %g by %q, words %+v, want %+v", s.AuditFraction, s.AuditBy, s.Words, want)
	}
	b.o.AuditAlone = false
	if s := b.state(); s.AuditBy != status.AuditByWorkers {
		t.Errorf("audits by %q", s.AuditBy)
	}
	b.fleet.Closed = true
	if s := b.state(); s.AuditBy != "" || s.AuditFraction != 0 {
		t.Errorf("alone: audits of %g by %q", s.AuditFraction, s.AuditBy)
	}
}

// TestStatusDisk: a status has the disks of the workers that tell of them, and of a run that is over no comparison.
func TestStatusDisk(t *testing.T) {
	b := newBoard(t, plantest.Grid(3), map[string]int{"a": 1, "b": 1})
	b.members.Get("b").Disk = &protocol.Disk{ID: "d", Free: 5, Size: 9, Fetched: 2}
	b.disks.now = &status.Disks{NeedBytes: 7}
	s := b.state()
	want := status.Disk{ID: "d", Free: 5, Size: 9, Fetched: 2}
	if *s.Workers[1].Disk != want || s.Workers[0].Disk != nil {
		t.Errorf("%+v and %+v, want none and %+v", s.Workers[0].Disk, s.Workers[1].Disk, want)
	}
	if s.Disks == nil || s.Disks.NeedBytes != 7 {
		t.Errorf("compared %+v", s.Disks)
	}
	close(b.over)
	if s = b.state(); s.Disks != nil {
		t.Errorf("over, and compared %+v", s.Disks)
	}
}
