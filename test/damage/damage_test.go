package damage

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/run/rundir"
	"pagoda/test/built"
)

var (
	trials = flag.Int("trials", 12, "folders to damage")
	seed   = flag.Uint64("seed", 0, "seed of all random choices; 0 draws one")
	places = flag.Bool("places", false, "put every kind of thing in every place, and not two in each")
)

var program string // the coordinator

func TestMain(m *testing.M) {
	flag.Parse()
	folder, remove, err := built.Programs("../..")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	program = filepath.Join(folder, "coordinator")
	code := m.Run()
	remove()
	os.Exit(code)
}

// outcome is how a command ended.
type outcome struct {
	code        int
	out, errors string
}

// coordinator runs a command of the program. A panic, or the runtime's exit code for one, fails the test.
func coordinator(t *testing.T, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	o := outcome{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
	if strings.Contains(o.errors, "goroutine ") || strings.Contains(o.errors, "panic") || o.code < 0 {
		t.Fatalf("%v: exit code %d\n%s", args, o.code, o.errors)
	}
	return o
}

// line returns the rest of the first line of text that begins with prefix.
func line(text, prefix string) string {
	for l := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(l, prefix); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// A run is a small run, with the results that it has undisturbed.
type run struct {
	name, config string
	result       string                   // JSON that the command run prints
	digests      map[string]blocks.Digest // of all windows
	folders      map[string]string        // to be damaged, by their state
}

// configs are small runs of different shapes; one keeps only the rows of its last layer.
var configs = map[string]string{
	"games":     "puzzle: peg\nboard: triangle5\nstart: r0c0\ngoal: r0c0\n",
	"solutions": "puzzle: peg\nboard: triangle5\nstart: r0c0\ngoal: r0c0\ncount: solutions\nretention: last\n",
	"search":    "puzzle: baseball\nbases: 4\nboard: ring\ncount: distances\n",
}

// prepare carries out a run undisturbed, and leaves folders of it in several states.
func prepare(t *testing.T, dir, name string) *run {
	t.Helper()
	r := &run{name: name, config: filepath.Join(dir, name+".yaml"), folders: map[string]string{}}
	if err := os.WriteFile(r.config, []byte(configs[name]), 0o600); err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(dir, name+"-complete")
	o := r.run(t, whole)
	if o.code != 0 {
		t.Fatal(o.errors)
	}
	r.result, r.folders["complete"] = o.out, whole
	r.digests = digests(t, whole)

	again := filepath.Join(dir, name+"-resumed")
	copyFolder(t, whole, again)
	for range 2 {
		if o := r.run(t, again); o.code != 0 {
			t.Fatal(o.errors)
		}
	}
	r.folders["resumed"] = again
	r.halfDone(t, dir, whole)
	return r
}

func (r *run) run(t *testing.T, folder string) outcome {
	t.Helper()
	return coordinator(t, "run", r.config, "--data", folder, "--output", "json")
}

// halfDone makes a folder that was closed in the middle of the run, and one as a crash there leaves it.
func (r *run) halfDone(t *testing.T, dir, whole string) {
	t.Helper()
	closed, crashed := filepath.Join(dir, r.name+"-closed"), filepath.Join(dir, r.name+"-crashed")
	meta, err := rundir.ReadMeta(whole)
	if err != nil {
		t.Fatal(err)
	}
	from, err := rundir.Open(whole, rundir.FolderOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	to, err := rundir.Create(closed, meta, rundir.FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	err = from.Ledger.Load(func(e kv.Entry) error {
		if n++; n > len(r.digests)/2 {
			return nil
		}
		if _, found, err := from.Store.Record(e.Record.ID()); err != nil || !found {
			e.Holders = nil
			return errors.Join(err, to.Ledger.Append([]kv.Entry{e}))
		}
		w := to.Store.Begin(e.Record.Window)
		if err := from.Store.RawBlocks(t.Context(), e.Record.ID(), 0, w.Raw); err != nil {
			return err
		}
		if _, err := w.CommitAs(e.Record); err != nil {
			return err
		}
		return to.Ledger.Append([]kv.Entry{e})
	})
	if err != nil {
		t.Fatal(err)
	}
	copyFolder(t, closed, crashed) // while it is open
	if err := errors.Join(from.Close(), to.Close()); err != nil {
		t.Fatal(err)
	}
	r.folders["half done"], r.folders["half done, not closed"] = closed, crashed
}

// digests reads the ledger of a folder.
func digests(t *testing.T, folder string) map[string]blocks.Digest {
	t.Helper()
	f, err := rundir.Open(folder, rundir.FolderOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]blocks.Digest{}
	err = f.Ledger.Load(func(e kv.Entry) error {
		m[e.Record.Window.String()] = e.Record.Digest
		return nil
	})
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return m
}

func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// TestDamage damages folders, and follows the hints that the programs then print.
func TestDamage(t *testing.T) {
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	t.Logf("seed %d, %d trials", *seed, *trials)
	dir := t.TempDir()
	var prepared []*run
	for _, name := range slices.Sorted(maps.Keys(configs)) {
		prepared = append(prepared, prepare(t, dir, name))
	}
	counts := map[string]int{}
	for n := range *trials {
		// Each trial has a generator of its own, so that one can be repeated alone.
		rnd := rand.New(rand.NewPCG(*seed, uint64(n)))
		r := prepared[n%len(prepared)]
		states := slices.Sorted(maps.Keys(r.folders))
		state, older := states[rnd.IntN(len(states))], states[rnd.IntN(len(states))]
		folder := filepath.Join(dir, fmt.Sprint("trial-", n))
		copyFolder(t, r.folders[state], folder)
		done := strings.Join(inflict(t, rnd, folder, r.folders[older]), ", ")
		at := fmt.Sprintf("trial %d, %s, %s: %s", n, r.name, state, done)
		for _, outcome := range r.trial(t, folder, at) {
			counts[outcome]++
		}
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
	}
	for _, outcome := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%5.1f %% %s", 100*float64(counts[outcome])/float64(*trials), outcome)
	}
}

// trial verifies and runs a damaged folder, and returns what came of it.
func (r *run) trial(t *testing.T, folder, at string) (outcomes []string) {
	t.Helper()
	v := coordinator(t, "verify", "--data", folder, "--dry-run")
	switch {
	case v.code == 0:
		outcomes = append(outcomes, "verify: no error found")
		for w, d := range digests(t, folder) {
			if r.digests[w] != d {
				t.Errorf("%s: verify finds no error, but window %s has digest %s", at, w, d)
			}
		}
	case line(v.errors, "error: ") == "" || line(v.errors, "hint: ") == "":
		t.Errorf("%s: verify says %d\n%s", at, v.code, v.errors)
	default:
		outcomes = append(outcomes, "verify: errors found")
	}
	o := r.run(t, folder)
	if o.code != 0 {
		t.Logf("%s: %s", at, line(o.errors, "error: "))
		advice := line(o.errors, "hint: ")
		outcomes = append(outcomes, fmt.Sprintf("run: exit %d, %s", o.code, advice))
		switch {
		case strings.Contains(advice, "verify the folder"):
			coordinator(t, "verify", "--data", folder)
			o = r.run(t, folder)
		case strings.Contains(advice, "run the config again"):
			o = r.run(t, folder)
		case strings.Contains(advice, "folder with --data"):
			o = r.run(t, folder+"-other")
			folder += "-other"
		default:
			t.Errorf("%s: run says %d\n%s", at, o.code, o.errors)
			return outcomes
		}
		if o.code != 0 {
			t.Errorf("%s: the advice %q did not help: %d\n%s", at, advice, o.code, o.errors)
			return outcomes
		}
	} else if strings.Contains(o.errors, "level=WARN") {
		outcomes = append(outcomes, "run: right, says what was damaged")
	} else {
		outcomes = append(outcomes, "run: right")
	}
	if o.out != r.result {
		t.Errorf("%s: another result\n%s", at, o.out)
	}
	if have := digests(t, folder); !maps.Equal(have, r.digests) {
		t.Errorf("%s: other digests, %d windows of %d", at, len(have), len(r.digests))
	}
	if v := coordinator(t, "verify", "--data", folder); v.code != 0 {
		outcomes = append(outcomes, "verify after run: finds what run did not need")
		if o = r.run(t, folder); o.code != 0 || o.out != r.result {
			t.Errorf("%s: run after verify: %d\n%s", at, o.code, o.errors)
		}
		if v := coordinator(t, "verify", "--data", folder); v.code != 0 {
			t.Errorf("%s: verify after verify and run: %d\n%s\n%s", at, v.code, v.out, v.errors)
		}
	}
	return outcomes
}
