package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"pagoda/internal/run/rundir"
	"pagoda/test/midrun"
	"pagoda/test/script"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"coordinator": main, "coordinator-with-knight": mainWithExample})
}

// TestScripts runs the scripts of testdata, one for each command. They check output, files and exit codes.
func TestScripts(t *testing.T) {
	configs, err := filepath.Abs("../../configs")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("CONFIGS", configs)
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "read-only-mounts" {
				return false, fmt.Errorf("unknown condition %s", name)
			}
			return exec.Command("unshare", "-m", "sh", "-ec", "mount --bind / /; mount -o remount,ro,bind /").Run() == nil, nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":  script.Exits,
			"lock":   lock,
			"damage": damage,
			"change": change,
			"flip":   flip,
			"signal": signalled,
			"hook":   hook,
		},
	})
}

// lock DIR holds the data folder until the script ends, as another process would.
func lock(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: lock dir")
	}
	f, err := rundir.Open(ts.MkAbs(args[0]), rundir.FolderOptions{})
	ts.Check(err)
	ts.Defer(func() { ts.Check(f.Close()) })
}

// flip GLOB flips twenty bits, at equal distances, of the largest file that matches.
func flip(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: flip glob")
	}
	paths, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	var largest string
	var data []byte
	for _, path := range paths {
		b, err := os.ReadFile(path)
		ts.Check(err)
		if len(b) > len(data) {
			largest, data = path, b
		}
	}
	if largest == "" {
		ts.Fatalf("no file matches %s", args[0])
	}
	const bits = 20
	for i := range bits {
		data[i*len(data)/bits] ^= 1 << (i % 8)
	}
	ts.Check(os.WriteFile(largest, data, 0o600))
}

// damage DIR flips one bit in the middle of the largest segment of the store.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage dir")
	}
	var largest string
	var size int64
	err := filepath.WalkDir(filepath.Join(ts.MkAbs(args[0]), "store"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".seg" {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Size() > size {
			largest, size = path, info.Size()
		}
		return err
	})
	ts.Check(err)
	if largest == "" {
		ts.Fatalf("no segment in %s", args[0])
	}
	data, err := os.ReadFile(largest)
	ts.Check(err)
	data[size/2] ^= 1 << 3
	ts.Check(os.WriteFile(largest, data, 0o600))
}

// change FROM TO OLD NEW copies a file with the first OLD in it made NEW.
func change(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: change from to old new")
	}
	before := ts.ReadFile(args[0])
	after := strings.Replace(before, args[2], args[3], 1)
	if after == before {
		ts.Fatalf("%s has no %s", args[0], args[2])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(after), 0o600))
}

// signalled is the script command: signal NAME CODE WINDOWS PROGRAM ARGS... It starts a program, sends it a signal when
// it has committed so many windows, and demands its exit code. Stderr goes to the file stderr.txt.
func signalled(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: signal name code windows program [args...]")
	}
	signals := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL}
	windows, err := strconv.Atoi(args[2])
	ts.Check(err)
	program, err := exec.LookPath(args[3])
	ts.Check(err)
	cmd := exec.Command(program, args[4:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "CONFIGS"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	stderr, err := midrun.Signal(cmd, midrun.Anywhere, windows, signals[args[0]])
	ts.Check(err)
	err = cmd.Wait()
	code := cmd.ProcessState.ExitCode()
	if args[1] != strconv.Itoa(code) {
		ts.Fatalf("exit code %d (%v), want %s\n%s", code, err, args[1], stderr)
	}
	ts.Check(os.WriteFile(ts.MkAbs("stderr.txt"), []byte(stderr), 0o600))
}
