package fleet

import (
	"errors"
	"fmt"
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

	"github.com/rogpeppe/go-internal/testscript"

	"pagoda/internal/run/pause/pausetest"
	"pagoda/test/built"
	"pagoda/test/script"
)

// programs is the folder of the programs under test.
var programs string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	folder, remove, err := built.Programs("../..")
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	defer remove()
	programs = folder
	return m.Run()
}

// patience bounds every wait of a script. It is generous: machines are busy.
const patience = 2 * time.Minute

// TestScripts runs the scripts of testdata.
func TestScripts(t *testing.T) { runScripts(t, "testdata", nil) }

// TestUpgrade runs the scripts of testdata/upgrade. EARLIER is the folder of the programs of an earlier commit there,
// and LATER that of programs as a later commit could have them.
func TestUpgrade(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT RUN with -short: it builds the programs of other versions")
	}
	earlier, err := built.Earlier("../..")
	if errors.Is(err, built.ErrNoHistory) {
		t.Skip(err) // .ci/run says so
	}
	if err != nil {
		t.Fatal(err)
	}
	later, err := built.Later("../..")
	if err != nil {
		t.Fatal(err)
	}
	runScripts(t, "testdata/upgrade", map[string]string{"EARLIER": earlier, "LATER": later})
}

// TestSlowDisk runs the scripts of testdata/slow, where SLOW is the folder of programs with a slow disk.
func TestSlowDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT RUN with -short: it builds programs that sync slowly")
	}
	slow, err := built.SlowDisk("../..")
	if err != nil {
		t.Fatal(err)
	}
	runScripts(t, "testdata/slow", map[string]string{"SLOW": slow})
}

func runScripts(t *testing.T, dir string, env map[string]string) {
	t.Helper()
	configs, err := filepath.Abs("../../configs")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("CONFIGS", configs)
			for name, value := range env {
				e.Setenv(name, value)
			}
			e.Setenv("PATH", programs+string(os.PathListSeparator)+e.Getenv("PATH"))
			c := &processes{processes: make(map[string]*process)}
			e.Values[processesKey{}] = c
			e.Defer(c.end)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"nats":    natsServer,
			"start":   start,
			"ends":    ends,
			"signal":  signal,
			"says":    says,
			"fields":  fields,
			"address": address,
			"exits":   script.Exits,
			"damage":  damage,
			"get":     get,
			"gets":    gets,
		},
	})
}

type processesKey struct{}

// processes are the processes of a script by name.
type processes struct {
	mu        sync.Mutex
	processes map[string]*process
}

type process struct {
	cmd   *exec.Cmd
	ended chan struct{}
	log   string // file with its stderr
}

// end ends whatever still runs.
func (c *processes) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.processes {
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
}

func find(ts *testscript.TestScript, name string) *process {
	c := ts.Value(processesKey{}).(*processes)
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.processes[name]
	if p == nil {
		ts.Fatalf("no process is called %s", name)
	}
	return p
}

// program is the path of a program under test, or of one that is named with its folder.
func program(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(programs, name)
}

// start NAME PROGRAM ARGS... starts a program, whose output goes to NAME.out and NAME.err.
func start(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: start name program [args...]")
	}
	p := &process{
		cmd: exec.Command(program(args[1]), args[2:]...), ended: make(chan struct{}),
		log: ts.MkAbs(args[0] + ".err"),
	}
	p.cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "TMPDIR"} {
		p.cmd.Env = append(p.cmd.Env, name+"="+ts.Getenv(name))
	}
	for file, stream := range map[string]*io.Writer{".out": &p.cmd.Stdout, ".err": &p.cmd.Stderr} {
		f, err := os.Create(ts.MkAbs(args[0] + file))
		ts.Check(err)
		defer func() { _ = f.Close() }()
		*stream = f
	}
	ts.Check(p.cmd.Start())
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // the exit code tells
	}()
	c := ts.Value(processesKey{}).(*processes)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.processes[args[0]] = p
}

// ends NAME CODE waits for a process and demands its exit code, -1 when a signal ended it.
func ends(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: ends name code")
	}
	p := find(ts, args[0])
	select {
	case <-p.ended:
	case <-time.After(patience):
		ts.Fatalf("%s does not end\n%s", args[0], tail(p))
	}
	if code := p.cmd.ProcessState.ExitCode(); args[1] != strconv.Itoa(code) {
		ts.Fatalf("%s ended with code %d, want %s\n%s", args[0], code, args[1], tail(p))
	}
}

func tail(p *process) string {
	b, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-4000):])
}

// signal NAME SIGNAL sends a signal.
func signal(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]syscall.Signal{
		"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL, "STOP": syscall.SIGSTOP,
		"CONT": syscall.SIGCONT,
	}
	if neg || len(args) != 2 || signals[args[1]] == 0 {
		ts.Fatalf("usage: signal name INT|TERM|KILL|STOP|CONT")
	}
	ts.Check(find(ts, args[0]).cmd.Process.Signal(signals[args[1]]))
}

// wait waits until a process has said what the pattern matches, and returns the match.
func wait(ts *testscript.TestScript, name, pattern string) []string {
	re, err := regexp.Compile("(?m)" + pattern)
	ts.Check(err)
	p := find(ts, name)
	var match []string
	pausetest.UntilRight(ts, func() string {
		over := false
		select {
		case <-p.ended:
			over = true
		default:
		}
		b, err := os.ReadFile(p.log)
		ts.Check(err)
		if match = re.FindStringSubmatch(string(b)); match != nil {
			return ""
		}
		silent := fmt.Sprintf("%s does not say %s\n%s", name, pattern, tail(p))
		if over {
			ts.Fatalf("%s", silent)
		}
		return silent
	})
	return match
}

// says NAME PATTERN waits until the stderr of a process matches.
func says(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: says name pattern")
	}
	wait(ts, args[0], args[1])
}

// address VAR NAME WHAT waits until a process listens, and puts the address into a variable.
func address(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: address var name what")
	}
	what := regexp.QuoteMeta(args[2])
	m := wait(ts, args[1],
		`msg=listening .*what=`+what+` address=(\S+)$|"listening",.*"what":"`+what+`","address":"([^"]+)"`)
	ts.Setenv(args[0], m[1]+m[2])
}

// get URL CODE [PATTERN] fetches a page, and demands its status and that its body matches.
func get(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: get url code [pattern]")
	}
	if problem := page(ts, args); problem != "" {
		ts.Fatalf("%s", problem)
	}
}

// gets URL CODE [PATTERN] does so until the page is as it should be.
func gets(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: gets url code [pattern]")
	}
	pausetest.UntilRight(ts, func() string { return page(ts, args) })
}

// page fetches a page, and returns how it differs from the expected status and pattern, or "" if it does not.
func page(ts *testscript.TestScript, args []string) (problem string) {
	r, err := http.Get(args[0])
	ts.Check(err)
	defer func() { _ = r.Body.Close() }()
	b, err := io.ReadAll(r.Body)
	ts.Check(err)
	if args[1] != strconv.Itoa(r.StatusCode) {
		return fmt.Sprintf("%s: status %d, want %s\n%s", args[0], r.StatusCode, args[1], b)
	}
	if len(args) == 3 {
		re, err := regexp.Compile("(?m)" + args[2])
		ts.Check(err)
		if !re.Match(b) {
			return fmt.Sprintf("%s: no match for %s in\n%s", args[0], args[2], b)
		}
	}
	return ""
}

// damage DIR PATTERN flips a bit in the middle of every file of a folder whose name matches.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: damage dir pattern")
	}
	files, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), args[1]))
	ts.Check(err)
	if len(files) == 0 {
		ts.Fatalf("no file in %s is called %s", args[0], args[1])
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		ts.Check(err)
		if len(b) > 0 {
			b[len(b)/2] ^= 1 << 3
			ts.Check(os.WriteFile(f, b, 0o600))
		}
	}
	ts.Logf("damaged %s", strings.Join(files, " "))
}
