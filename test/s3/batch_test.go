package s3

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// archivedBatch has a small member, and one that takes seconds, as in newLongFleet.
const archivedBatch = `base:
  puzzle: peg
  window_addresses: 4194304
  archive: ` + archiveURL + `
  worker_timeout: 1s
  rejoin_grace: 1s
  audit_fraction: 0
matrix:
  include:
    - {name: small, board: triangle5, start: a1}
    - {name: large, board: english}
`

// leadBatch starts the coordinator of a batch in folder data.
func (f *fleet) leadBatch(data string) {
	f.t.Helper()
	f.run = f.start("coordinator in "+data, "coordinator", "batch", "run", "boards.yaml", "--data", data,
		"--concurrency", "0", "--listen", "127.0.0.1:0", "--log-level", "debug")
}

// workForBatch starts a worker that stays when a member is complete.
func (f *fleet) workForBatch(name string) *program {
	f.t.Helper()
	address := f.run.says(f.t, `msg=listening.* what=queue address=(\S+)`)
	return f.start(name, "worker", "--nats", "nats://"+address, "--data", name, "--name", name, "--concurrency", "1")
}

// TestBatchFolderLost: a batch with an archive loses its folder and that of its worker, after a member and in the middle
// of the next. The same command goes on in an empty folder. No window is computed again, and the table is that of a
// batch without an archive in one process. When the complete batch is lost, the command needs no worker.
func TestBatchFolderLost(t *testing.T) {
	f := newFleet(t)
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("boards.yaml", archivedBatch)
	f.leadBatch("first")
	w := f.workForBatch("w1")
	f.run.says(t, `(msg="member complete").* member=small`)
	begun := len(f.objects())
	f.uploaded(begun + 40)
	// The worker brings all that it has to the archive, and then the coordinator does.
	_ = w.cmd.Process.Signal(syscall.SIGTERM)
	w.ends(t, 0)
	_ = f.run.cmd.Process.Signal(syscall.SIGTERM)
	f.run.ends(t, 3)
	committed := strings.Count(f.run.said(), `msg="window committed"`)
	f.remove("first")
	f.remove("w1")

	f.leadBatch("second")
	w = f.workForBatch("w2")
	f.run.ends(t, 0)
	again := strings.Count(f.run.said(), `msg="window committed"`)
	w.kill()
	table := f.run.out.String()
	f.remove("second")
	f.remove("w2")
	f.leadBatch("third")
	f.run.ends(t, 0)
	if f.run.out.String() != table || strings.Contains(f.run.said(), `msg="window committed"`) {
		t.Errorf("the table of a complete batch is\n%s\nwant\n%s", f.run.out.String(), table)
	}

	write("alone.yaml", strings.Replace(archivedBatch, "  archive: "+archiveURL+"\n", "", 1))
	code, want, said := command(t, f.dir, "batch", "run", "alone.yaml", "--data", "alone", "--log-level", "debug")
	if code != 0 || table != want {
		t.Errorf("the table is\n%s\nwant\n%s", table, want)
	}
	all := strings.Count(said, `msg="window committed"`)
	if committed == 0 || committed == all || committed+again != all {
		t.Errorf("%d windows were computed before the loss and %d after it, of %d", committed, again, all)
	}
	t.Logf("%d windows before the loss, %d after it", committed, again)
}
