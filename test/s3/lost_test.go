package s3

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pagoda/internal/run/pause/pausetest"
)

// goOn starts a coordinator in a folder, with what is in the archive.
func (f *fleet) goOn(data string, more ...string) *program {
	f.t.Helper()
	config, err := filepath.Abs("../../configs/" + f.config + ".yaml")
	if err != nil {
		f.t.Fatal(err)
	}
	args := []string{"run", config, "--data", data, "--concurrency", "0", "--listen", "127.0.0.1:0", "--output", "json",
		"--from", archiveURL, "--set", "window_addresses=" + f.windows, "--set", "worker_timeout=1s",
		"--set", "rejoin_grace=1s", "--set", "audit_fraction=0"}
	return f.start("coordinator in "+data, "coordinator", append(args, more...)...)
}

// segments lists the objects of the ledger in the archive.
func (f *fleet) segments() (all []string) {
	f.t.Helper()
	for _, name := range allFiles(f.t, f.storage.Folder) {
		if strings.Contains(name, "/ledger/") && !strings.Contains(name, "/.sgwtmp/") &&
			!strings.HasSuffix(name, "/conditional") {
			all = append(all, name)
		}
	}
	return all
}

// recorded waits until the ledger in the archive has so many segments after the claim of the first coordinator. Each of
// them has windows.
func (f *fleet) recorded(n int) {
	f.t.Helper()
	pausetest.Until(f.t, "the ledger is in the archive", func() bool { return len(f.segments()) > n })
}

// certified is the certificate in a folder, without what depends on how the run was carried out.
func (f *fleet) certified(path string) string {
	f.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		f.t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(b, &v); err != nil {
		f.t.Fatal(err)
	}
	for _, name := range []string{"checks", "parties", "words"} {
		delete(v, name)
	}
	if b, err = json.Marshal(v); err != nil {
		f.t.Fatal(err)
	}
	return string(b)
}

// computed counts the windows that have been computed for a coordinator by its log: those of the run that it has not
// found, and those that it has found and lost.
func computed(t *testing.T, p *program) (n, again int) {
	t.Helper()
	figure := func(pattern string) int {
		n, err := strconv.Atoi(p.says(t, pattern))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, m := range regexp.MustCompile(`windows_again=(\d+)`).FindAllStringSubmatch(p.said(), -1) {
		k, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		again += k
	}
	return figure(`msg=complete.* windows=(\d+)`) - figure(`msg=complete.* windows_reused=(\d+)`), again
}

// TestEverythingLost: coordinator and worker are killed in mid-run, and both folders are gone. A coordinator in an empty
// folder goes on from the archive. No window is computed again whose entry and rows were there, and certificate and
// totals are those of a run without losses.
func TestEverythingLost(t *testing.T) {
	f := newLongFleet(t)
	f.lead()
	first := f.work()
	f.uploaded(60)
	f.recorded(3)
	f.run.kill()
	first.kill()
	f.remove("run")
	f.remove(first.name)

	f.run = f.goOn("elsewhere")
	f.work()
	f.complete()
	restored := f.number(`msg="the ledger was restored from the archive".* windows=(\d+)`)
	held := f.number(`msg="the archive was listed".* windows_held=(\d+)`)
	n, again := computed(t, f.run)
	t.Logf("%d windows restored, %d with their rows; %d computed, %d of them again", restored, held, n, again)
	if restored < 3 || held == 0 || again > restored-held {
		t.Errorf("%d windows were restored, %d with their rows, and %d were computed again", restored, held, again)
	}
	config, err := filepath.Abs("../../configs/" + f.config + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	must(t, f.dir, "run", config, "--data", "undisturbed", "--set", "window_addresses="+f.windows)
	got := f.certified(filepath.Join(f.dir, "elsewhere", "certificate.json"))
	if want := f.certified(filepath.Join(f.dir, "undisturbed", "certificate.json")); got != want {
		t.Errorf("the certificate is\n%s\nwant\n%s", got, want)
	}
}

// TestCompleteLost: of a run that is complete, nothing is left but the archive, and one segment of its ledger is damaged.
// Its object is named and its windows are computed again, and no others; the next time, none are.
func TestCompleteLost(t *testing.T) {
	f := newFleet(t)
	f.lead()
	w := f.work()
	f.complete()
	w.ends(t, 0)
	all := f.segments()
	if len(all) < 2 {
		t.Fatalf("there are %d segments", len(all))
	}
	damaged := all[1]
	b, err := os.ReadFile(damaged)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 8
	if err := os.WriteFile(damaged, b, 0o644); err != nil {
		t.Fatal(err)
	}
	f.run = f.goOn("second")
	w = f.work()
	f.complete()
	w.ends(t, 0)
	f.run.says(t, `a part of the ledger in the archive is damaged.* object=\S+/`+filepath.Base(damaged))
	if n, _ := computed(t, f.run); n == 0 {
		t.Error("nothing was computed, though a part of the ledger was damaged")
	}
	f.run = f.goOn("third")
	f.complete()
	if n, again := computed(t, f.run); n != 0 || again != 0 {
		t.Errorf("%d windows were computed, and %d again", n, again)
	}
}

// TestTwoCoordinators: a coordinator goes on with a run whose coordinator lives, beside a queue of its own. The earlier
// one ends with 4 and one line, and the later one completes the run.
func TestTwoCoordinators(t *testing.T) {
	f := newLongFleet(t)
	f.lead()
	w := f.work()
	f.uploaded(10)
	f.recorded(1)
	w.kill()
	earlier := f.run
	f.run = f.goOn("later")
	f.run.says(t, "msg=resuming")
	earlier.ends(t, 4)
	said := strings.Split(strings.TrimSuffix(earlier.said(), "\n"), "\n")
	said = said[len(said)-2:]
	if !strings.HasPrefix(said[0], "error: ") || !strings.Contains(said[0], "another coordinator has taken over the run") ||
		said[1] != "hint: the other coordinator goes on with the run" {
		t.Errorf("it said %q", said)
	}
	f.work()
	f.complete()
}

// TestFromRefused gives --from what cannot be: exit 2, one line and a hint, and no folder is made.
func TestFromRefused(t *testing.T) {
	f := newFleet(t)
	f.lead()
	f.recorded(0)
	run := filepath.Base(filepath.Dir(f.segments()[0]))
	f.run.kill()
	config, err := filepath.Abs("../../configs/triangle15.yaml")
	if err != nil {
		t.Fatal(err)
	}
	same := []string{"--set", "window_addresses=" + f.windows}
	queue := []string{"--concurrency", "0", "--listen", "127.0.0.1:0"}
	for name, c := range map[string]struct {
		from string
		args []string
		says string
	}{
		"another config": {archiveURL, queue, "it has those of " + run},
		"another prefix": {archiveURL + "/deeper", append(same, queue...), "it has no ledger at all"},
		"another bucket": {"s3://nowhere/deep", append(same, queue...), "there is no such bucket"},
		"no URL":         {"deep/archive", append(same, queue...), "--from"},
		"one process":    {archiveURL, same, "and no archive"},
		"two archives":   {archiveURL, append([]string{"--set", "archive=s3://windows/other"}, append(same, queue...)...), "--from"},
	} {
		t.Run(name, func(t *testing.T) {
			f.storage.Environment(t)
			code, stdout, stderr := command(t, f.dir, append([]string{"run", config, "--data", "refused", "--from", c.from},
				c.args...)...)
			if code != 2 || stdout != "" || !strings.Contains(stderr, c.says) || !strings.Contains(stderr, "\nhint: ") ||
				strings.Count(stderr, "\n") != 2 {
				t.Errorf("exit %d, %q\n%s", code, stdout, stderr)
			}
			if _, err := os.Stat(filepath.Join(f.dir, "refused")); err == nil {
				t.Error("a folder was made")
			}
		})
	}
}

// TestLostVolumes carries out the commands of docs/operating.md on lost volumes as they stand there, beside a real
// server, with another port.
func TestLostVolumes(t *testing.T) {
	page, err := os.ReadFile("../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, found := strings.Cut(string(page), "\n## When every volume is lost\n")
	chapter, _, _ = strings.Cut(chapter, "\n## ")
	commands := regexp.MustCompile(`(?m)^    \$ (.*)$`).FindAllStringSubmatch(strings.ReplaceAll(chapter, "\\\n", ""), -1)
	if !found || len(commands) < 5 {
		t.Fatalf("the page has %d commands", len(commands))
	}
	f := newFleet(t)
	configs, err := filepath.Abs("../../configs")
	if err == nil {
		err = os.Symlink(configs, filepath.Join(f.dir, "configs"))
	}
	if err != nil {
		t.Fatal(err)
	}
	address, worker := "", (*program)(nil)
	for i, m := range commands {
		words := strings.Fields(m[1])
		name := "command " + strconv.Itoa(i+1)
		for k := range words {
			if words[0] == "worker" {
				words[k] = strings.ReplaceAll(words[k], "127.0.0.1:4222", address)
			}
			words[k] = strings.ReplaceAll(words[k], "127.0.0.1:4222", "127.0.0.1:0")
		}
		switch words[0] {
		case "coordinator":
			f.run = f.start(name, "coordinator", words[1:]...)
			address = f.run.says(t, `msg=listening.* what=queue address=(\S+)`)
		case "worker":
			worker = f.start(name, "worker", words[1:]...)
			f.uploaded(10)
			f.recorded(3)
		case "rm": // and both programs are gone with their machines
			f.run.kill()
			worker.kill()
			fallthrough
		case "ls":
			cmd := exec.Command(words[0], words[1:]...)
			cmd.Dir = f.dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", m[1], err, out)
			}
		default:
			t.Fatalf("the test does not know the command %s", m[1])
		}
	}
	f.run.ends(t, 0)
	for _, line := range regexp.MustCompile(`(?m)^    (level=.* msg=.*?)( \w+=.*)?$`).FindAllStringSubmatch(chapter, -1) {
		if !strings.Contains(f.run.said(), line[1]) {
			t.Errorf("the page shows %q; the run said\n%s", line[1], f.run.said())
		}
	}
}
