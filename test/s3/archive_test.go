package s3

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pagoda/internal/run/pause/pausetest"
)

// A program is a process with its standard output and its log, which is its standard error.
type program struct {
	name string
	cmd  *exec.Cmd
	out  bytes.Buffer
	done chan struct{}

	mu  sync.Mutex
	log bytes.Buffer
}

func (p *program) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.Write(b)
}

func (p *program) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// says waits until the program's log matches a pattern, and returns the last submatch.
func (p *program) says(t *testing.T, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	var found []string
	pausetest.Until(t, p.name+" says "+pattern, func() bool {
		over := p.over()
		found = re.FindStringSubmatch(p.said())
		if found == nil && over {
			t.Fatalf("%s has ended, and did not say %s", p.name, pattern)
		}
		return found != nil
	})
	return found[len(found)-1]
}

// over reports whether the program has ended.
func (p *program) over() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// kill ends the program without a word.
func (p *program) kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// ends waits for the program, which must end with code.
func (p *program) ends(t *testing.T, code int) {
	t.Helper()
	pausetest.Until(t, p.name+" ends", p.over)
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("%s ended with %d, want %d:\n%s", p.name, got, code, p.said())
	}
}

// A fleet is a run whose windows worker processes compute, with an archive.
type fleet struct {
	t       *testing.T
	storage *Storage
	dir     string
	serial  int
	config  string   // of the run
	windows string   // addresses in a window
	run     *program // the coordinator
}

const archiveURL = "s3://" + bucket + "/deep/archive"

// settings tell soon that a worker is gone, in a coordinator that waits so long for holders on record.
func settings(archive, rejoinGrace string) []string {
	return []string{
		"--set", "archive=" + archive, "--set", "worker_timeout=1s",
		"--set", "rejoin_grace=" + rejoinGrace, "--set", "audit_fraction=0",
	}
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{t: t, storage: Start(t, t.TempDir()), dir: t.TempDir(), config: "triangle15", windows: "64"}
	f.storage.Environment(t)
	return f
}

// newLongFleet is for tests that break something in mid-run: one worker takes seconds for the English board, and to
// upload some windows a tenth of that.
func newLongFleet(t *testing.T) *fleet {
	t.Helper()
	f := newFleet(t)
	f.config, f.windows = "english", "4194304"
	return f
}

func (f *fleet) start(name, program_ string, args ...string) *program {
	f.t.Helper()
	p := &program{name: name, done: make(chan struct{})}
	p.cmd = exec.Command(filepath.Join(programs, program_), args...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = f.dir, &p.out, p
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		_ = p.cmd.Wait()
	}()
	f.t.Cleanup(func() {
		p.kill()
		if f.t.Failed() {
			f.t.Logf("%s said:\n%s", name, p.said())
		}
	})
	return p
}

// lead starts the coordinator.
func (f *fleet) lead(more ...string) {
	f.t.Helper()
	f.leadWith("1s", more...)
}

// leadWith starts a coordinator that waits so long for holders on record.
func (f *fleet) leadWith(rejoinGrace string, more ...string) {
	f.t.Helper()
	config, err := filepath.Abs("../../configs/" + f.config + ".yaml")
	if err != nil {
		f.t.Fatal(err)
	}
	args := []string{"run", config, "--data", "run", "--concurrency", "0", "--listen", "127.0.0.1:0", "--output", "json",
		"--set", "window_addresses=" + f.windows}
	args = append(args, settings(archiveURL, rejoinGrace)...)
	f.run = f.start("coordinator", "coordinator", append(args, more...)...)
}

// loseWorker starts a worker and, when so many of its windows are in the archive, kills it and removes its folder.
func (f *fleet) loseWorker(uploaded int) {
	f.t.Helper()
	w := f.work()
	f.uploaded(uploaded)
	w.kill()
	f.remove(w.name)
}

// work starts a worker with a new folder.
func (f *fleet) work() *program {
	f.t.Helper()
	address := f.run.says(f.t, `msg=listening.* what=queue address=(\S+)`)
	f.serial++
	name := "w" + strconv.Itoa(f.serial)
	return f.start(name, "worker", "--nats", "nats://"+address, "--data", name, "--name", name, "--concurrency", "1", "--once")
}

// objects lists the windows of the archive.
func (f *fleet) objects() []string {
	f.t.Helper()
	var all []string
	for _, name := range allFiles(f.t, f.storage.Folder) {
		if !strings.Contains(name, "/.sgwtmp/") && !strings.Contains(name, "/ledger/") {
			all = append(all, name)
		}
	}
	return all
}

// uploaded waits until the archive has so many windows.
func (f *fleet) uploaded(n int) {
	f.t.Helper()
	pausetest.Until(f.t, strconv.Itoa(n)+" windows are in the archive", func() bool { return len(f.objects()) >= n })
}

// complete waits for the end of the run, whose result must be that of a run without faults.
func (f *fleet) complete() {
	f.t.Helper()
	f.run.ends(f.t, 0)
	got := f.run.out.String()
	if want := f.reference(); normal(f.t, got) != want {
		f.t.Fatalf("the result is\n%s\nwant\n%s", got, want)
	}
}

// reference is the result of the run in one process.
func (f *fleet) reference() string {
	f.t.Helper()
	config, err := filepath.Abs("../../configs/" + f.config + ".yaml")
	if err != nil {
		f.t.Fatal(err)
	}
	return normal(f.t, must(f.t, f.t.TempDir(), "run", config, "--data", "r", "--output", "json",
		"--set", "window_addresses="+f.windows))
}

// normal is a result without what differs from place to place.
func normal(t *testing.T, text string) string {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	delete(v, "data")
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// number is a figure in the log of the coordinator.
func (f *fleet) number(pattern string) int {
	f.t.Helper()
	n, err := strconv.Atoi(f.run.says(f.t, pattern))
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}

// hold has the server hold up what it is asked from now on, until the test is over or release is called.
func (f *fleet) hold(which func(*http.Request) bool) (release func()) {
	gate := make(chan struct{})
	release = sync.OnceFunc(func() { close(gate) })
	f.t.Cleanup(release)
	f.storage.Fault(func(_ http.ResponseWriter, r *http.Request) bool {
		if which(r) {
			select {
			case <-gate:
			case <-r.Context().Done():
				return true
			}
		}
		return false
	})
	return release
}

func anything(*http.Request) bool { return true }

// TestArchiveSpares: all workers are gone with their folders. Their uploaded windows are not computed again. The others
// are not waited for: the coordinator knows that they have no holder.
func TestArchiveSpares(t *testing.T) {
	f := newLongFleet(t)
	f.leadWith("1h")
	f.loseWorker(30)
	f.work()
	f.complete()
	lost := f.number(`msg="worker lost".* worker=w1 .*windows_lost=(\d+)`)
	held := f.number(`msg="the archive was listed".* windows_held=(\d+)`)
	if held < 30 || held > lost {
		t.Errorf("the worker took %d windows with it, the archive had %d", lost, held)
	}
}

// TestArchiveDrained: a worker that is told to stop serves its rows until the archive has them, and only then leaves.
// Nothing of it is computed again, although its folder is gone.
func TestArchiveDrained(t *testing.T) {
	f := newLongFleet(t)
	release := f.hold(func(r *http.Request) bool {
		return r.Method == http.MethodPut && !strings.Contains(r.URL.Path, "/ledger/")
	})
	f.lead("--log-level", "debug")
	first := f.work()
	f.run.says(t, `(msg="window committed").* layer=8 `)
	_ = first.cmd.Process.Signal(syscall.SIGTERM)
	f.run.says(t, `(msg="worker is leaving, it uploads its windows to the archive").* worker=w1`)
	f.work()
	// What the first was given and has not begun does not wait for its uploads.
	f.run.says(t, `(msg="window committed").* layer=16 .*worker=w2`)
	release()
	first.ends(t, 3)
	f.remove("w1")
	f.complete()
	for _, said := range []string{"windows that nobody has", "computed again", "worker lost", "does not report"} {
		if strings.Contains(f.run.said(), said) {
			t.Errorf("the coordinator said %q:\n%s", said, f.run.said())
		}
	}
}

func (f *fleet) remove(name string) {
	f.t.Helper()
	if err := os.RemoveAll(filepath.Join(f.dir, name)); err != nil {
		f.t.Fatal(err)
	}
}

// TestArchiveResumes: coordinator and worker are gone, the worker with its folder; the next ones go on.
func TestArchiveResumes(t *testing.T) {
	f := newLongFleet(t)
	f.lead()
	first := f.work()
	f.uploaded(30)
	first.kill()
	f.run.kill()
	f.remove("w1")
	f.lead()
	f.work()
	f.complete()
	if held := f.number(`msg="the archive was listed".* windows_held=(\d+)`); held < 30 {
		t.Errorf("the archive had %d windows", held)
	}
	if strings.Contains(f.run.said(), `msg="windows that nobody has`) {
		// Those that were committed and not yet uploaded, and no others.
		again := f.number(`windows without a holder are computed again".* windows_again=(\d+)`)
		if reused := f.number(`msg=resuming.* windows_reused=(\d+)`); again > reused-30 {
			t.Errorf("%d of %d windows were computed again", again, reused)
		}
	}
}

// TestArchiveComplete: the archive has every window with rows when a run has ended.
func TestArchiveComplete(t *testing.T) {
	f := newFleet(t)
	f.lead()
	w := f.work()
	f.complete()
	w.ends(t, 0)
	var table struct {
		Table []struct{ Windows, Rows int }
	}
	_ = json.Unmarshal(f.run.out.Bytes(), &table)
	n := len(f.objects())
	if strings.Contains(w.said(), "windows are left") || n < 30 {
		t.Errorf("%d objects; the worker said\n%s", n, w.said())
	}
	// A worker that comes back with all of it uploads nothing.
	before := f.storage.puts.Load()
	f.run.kill()
	f.lead("--linger")
	address := f.run.says(t, `msg=listening.* what=queue address=(\S+)`)
	again := f.start("w1", "worker", "--nats", "nats://"+address, "--data", "w1", "--name", "w1", "--once")
	again.says(t, "msg=joined")
	_ = f.run.cmd.Process.Signal(syscall.SIGTERM)
	again.ends(t, 0)
	if puts := f.storage.puts.Load() - before; puts != 0 {
		t.Errorf("%d objects were uploaded a second time", puts)
	}
}

// TestDamagedArchive: windows that are damaged in the archive are recognised and computed again.
func TestDamagedArchive(t *testing.T) {
	f := newLongFleet(t)
	f.lead()
	f.loseWorker(30)
	for i, name := range f.objects() {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		switch i % 5 {
		case 0:
			b[len(b)/2] ^= 4
		case 1:
			b = b[:len(b)/2]
		case 2:
			b = append(b, 0)
		case 3:
			b = []byte("something else altogether")
		case 4:
			continue
		}
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f.work()
	f.complete()
	if !strings.Contains(f.run.said(), "window is gone or damaged and is computed again") {
		t.Error("nobody noticed the damage")
	}
}

// TestArchiveAway: the server fails from the beginning, then answers nothing; the run goes on without it.
func TestArchiveAway(t *testing.T) {
	for name, fail := range map[string]fault{
		"fails": func(w http.ResponseWriter, r *http.Request) bool {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		},
		"full": func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPut {
				return false
			}
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `<Error><Code>QuotaExceeded</Code><Message>It is full.</Message></Error>`)
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t)
			f.storage.Fault(fail)
			f.lead()
			w := f.work()
			f.complete()
			w.ends(t, 0)
			if said := w.said(); !strings.Contains(said, "windows are left that the archive does not have") {
				t.Errorf("the worker said\n%s", said)
			}
			if n := len(f.objects()); n != 0 {
				t.Errorf("there are %d objects", n)
			}
		})
	}
}

// TestArchiveLost: the archive stops to answer when it alone has windows. They are computed again.
func TestArchiveLost(t *testing.T) {
	f := newLongFleet(t)
	f.lead()
	f.loseWorker(30)
	f.storage.Fault(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet && r.URL.Query().Has("list-type") {
			return false // listing still works
		}
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	})
	f.work()
	f.complete()
	if again := f.number(`msg="the archive cannot be read".* windows_again=(\d+)`); again == 0 {
		t.Error("nothing was computed again")
	}
}

// TestArchiveSilent: a server that takes every request and says nothing holds up neither coordinator nor worker.
func TestArchiveSilent(t *testing.T) {
	f := newFleet(t)
	f.lead() // before hold: the start of a run tries the keys, and waits a little for the answer
	f.run.says(t, `msg=listening.* what=queue address=(\S+)`)
	f.hold(anything)
	w := f.work()
	f.complete()
	w.kill() // it would try for a while to upload its windows
}

// TestSlowArchive: a run completes with a server that answers slowly, and finds the windows of a lost worker there.
func TestSlowArchive(t *testing.T) {
	f := newLongFleet(t)
	f.storage.Fault(func(_ http.ResponseWriter, r *http.Request) bool {
		slow := time.NewTimer(100 * time.Millisecond)
		defer slow.Stop()
		select {
		case <-slow.C:
		case <-r.Context().Done():
		}
		return false
	})
	f.lead()
	f.loseWorker(10)
	f.work()
	f.complete()
	if held := f.number(`msg="the archive was listed".* windows_held=(\d+)`); held < 10 {
		t.Errorf("the archive had %d windows", held)
	}
}

// TestArchiveKeys: a coordinator with wrong keys ends at once; a worker with wrong keys works on.
func TestArchiveKeys(t *testing.T) {
	f := newFleet(t)
	config, err := filepath.Abs("../../configs/triangle15.yaml")
	if err != nil {
		t.Fatal(err)
	}
	fleet := []string{"--concurrency", "0", "--listen", "127.0.0.1:0"}
	for name, c := range map[string]struct {
		set     [2]string
		archive string // where another one is given
		args    []string
		says    string
	}{
		"unknown key":  {set: [2]string{"AWS_ACCESS_KEY_ID", "nobody"}, args: fleet, says: "archive: s3://windows"},
		"no keys":      {set: [2]string{"AWS_ACCESS_KEY_ID", ""}, args: fleet, says: "only one is set"},
		"no bucket":    {archive: "s3://nowhere/x", args: fleet, says: "there is no such bucket"},
		"no URL":       {archive: "/archive", args: fleet, says: "not of the form s3://BUCKET/PREFIX"},
		"one process":  {says: "and no archive"},
		"odd endpoint": {set: [2]string{"AWS_ENDPOINT_URL", "localhost"}, args: fleet, says: "AWS_ENDPOINT_URL"},
	} {
		t.Run(name, func(t *testing.T) {
			f.storage.Environment(t)
			if c.set[0] != "" {
				t.Setenv(c.set[0], c.set[1])
			}
			code, stdout, stderr := command(t, f.dir,
				append(append([]string{"run", config, "--data", "refused"}, settings(cmp.Or(c.archive, archiveURL), "1s")...),
					c.args...)...)
			if code != 2 || stdout != "" || !strings.Contains(stderr, c.says) || !strings.Contains(stderr, "\nhint: ") ||
				strings.Count(stderr, "\n") != 2 {
				t.Errorf("exit %d, %q\n%s", code, stdout, stderr)
			}
			if _, err := os.Stat(filepath.Join(f.dir, "refused")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("a folder was made: %v", err)
			}
		})
	}
	f.lead()
	f.run.says(t, `msg=listening.* what=queue address=(\S+)`)
	t.Setenv("AWS_SECRET_ACCESS_KEY", "wrong")
	wrong := f.work()
	f.complete()
	wrong.says(t, "windows cannot be uploaded to the archive.*SignatureDoesNotMatch")
}
