package rundir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/status"
)

// TestStatusOfDamage: a folder whose ledger is damaged or missing has no status. Audits that are due stop a run. A
// status file of no use counts only while another process has the folder, which is waited for briefly.
func TestStatusOfDamage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := whole(t)
		path := filepath.Join(f.Dir, statusName)
		useless := map[string]func() error{
			"folder": func() error { return os.Mkdir(path, 0o700) },
			"text":   func() error { return os.WriteFile(path, []byte("complete"), 0o600) },
			"large":  func() error { return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, maxStatusBytes+1)) },
			"fields": func() error { return os.WriteFile(path, []byte(`{"run":"`+f.Meta.Run+`","more":1}`), 0o600) },
		}
		for what, put := range useless {
			if err := put(); err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			if s, err := ReadStatus(f.Dir, paper()); err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("while it is in use, %s: %+v, %v", what, s, err)
			}
			if waited := time.Since(begun); waited != 200*time.Millisecond {
				t.Errorf("the folder is waited for %v", waited)
			}
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}
		due := puzzle.WindowID{Cell: cellB}
		if err := f.Ledger.Append(nil, kv.Audit{Window: due}); err != nil {
			t.Fatal(err)
		}
		closed(t, f)
		for what, put := range useless {
			if err := put(); err != nil {
				t.Fatal(err)
			}
			l, err := LookAt(f.Dir, paper())
			if err != nil || l.Last != nil || l.Results == nil || l.Status.State != status.StateStopped ||
				l.Status.AuditsDue != 1 || l.Status.Done != 5 {
				t.Errorf("%s: %+v, %v", what, l, err)
			}
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}
		wrong := paper()
		wrong.Layers[1][0].Addresses++
		if _, err := LookAt(f.Dir, wrong); !errors.Is(err, plan.ErrPlan) {
			t.Errorf("another plan: %v", err)
		}
		ledger := filepath.Join(f.Dir, ledgerName)
		if err := spoil(ledger); err != nil {
			t.Fatal(err)
		}
		if _, err := LookAt(f.Dir, paper()); !errors.Is(err, kv.ErrCorrupt) || errors.Is(err, errNoLedger) {
			t.Errorf("a damaged ledger: %v", err)
		}
		if err := os.RemoveAll(ledger); err != nil {
			t.Fatal(err)
		}
		if _, err := LookAt(f.Dir, paper()); !errors.Is(err, errNoLedger) {
			t.Errorf("no ledger: %v", err)
		}
	})
}
