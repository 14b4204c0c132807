//go:build sockets

package hostile

import (
	"encoding/json"
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
	"time"

	"pagoda/internal/run/engine/enginetest/hostile"
	"pagoda/internal/run/status"
	"pagoda/test/built"
)

var (
	seed     = flag.Uint64("seed", 0, "of TestMixtures, as a failure has printed it; 0 draws one")
	mixtures = flag.Int("mixtures", 4, "how many runs TestMixtures carries out")
	logs     = flag.String("logs", "", "`folder` in which the logs of all processes stay")
	rows     = flag.String("rows", "", "`file` that gets a line of JSON for each run")
)

// root is where the repository begins; programs and keyFolder are folders.
var root, programs, keyFolder string

// undisturbed is the run without attackers.
var undisturbed outcome

func TestMain(m *testing.M) {
	if text := os.Getenv(ordersVariable); text != "" {
		fmt.Fprintln(os.Stderr, "error:", attack(text))
		os.Exit(1)
	}
	flag.Parse()
	code, err := prepareAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		code = 1
	}
	os.Exit(code)
}

func prepareAndRun(m *testing.M) (code int, err error) {
	if root, err = filepath.Abs("../.."); err != nil {
		return 1, err
	}
	dir, err := os.MkdirTemp("", "pagoda-hostile-")
	if err != nil {
		return 1, err
	}
	if *logs == "" {
		defer func() { _ = os.RemoveAll(dir) }()
	}
	folder, remove, err := built.Programs(root)
	if err != nil {
		return 1, err
	}
	defer remove()
	programs = folder
	keyFolder = filepath.Join(dir, "keys")
	for _, args := range [][]string{{}, {"--worker", "a"}, {"--worker", "b"}, {"--worker", "x"}, {"--worker", "y"},
		{"--worker", "z", "--run", "0123456789ab"}} {
		c := exec.Command(filepath.Join(programs, "coordinator"), append([]string{"certs", keyFolder}, args...)...)
		out, err := c.CombinedOutput()
		if err != nil {
			return 1, fmt.Errorf("coordinator certs: %w\n%s", err, out)
		}
	}
	s := scenario{Honest: []string{"a", "b"}, Settings: strict, Limit: time.Minute}
	if err := os.Mkdir(filepath.Join(dir, "undisturbed"), 0o755); err != nil {
		return 1, err
	}
	if undisturbed, err = s.carryOut(filepath.Join(dir, "undisturbed")); err != nil || undisturbed.Code != 0 {
		return 1, errors.Join(fmt.Errorf("the undisturbed run ended with code %d", undisturbed.Code), err)
	}
	fmt.Println("undisturbed:", undisturbed.line())
	return m.Run(), nil
}

// limit is how long a run with attackers may take before it counts as stuck.
const limit = 4 * time.Minute

// names lists all behaviours.
func names() []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(hostile.Behaviours)), maps.Keys(socketBehaviours))
	slices.Sort(all)
	return all
}

// attacked carries out a scenario, and demands the numbers of the undisturbed run. With the default audits, of which a
// lie may go unseen, wrong numbers are only told.
func attacked(t *testing.T, s *scenario) {
	t.Helper()
	s.Limit = limit
	if !s.Default {
		s.Settings = append(s.Settings, strict...)
	}
	o, err := s.carryOut(folder(t))
	if err != nil {
		t.Fatal(err)
	}
	faults := s.check(&o)
	t.Log(o.line())
	for _, f := range faults {
		if s.Default && (f == wrongTotals || f == wrongWindows) {
			t.Logf("with the default audits: %s", f)
			continue
		}
		t.Error(f)
	}
	if *rows == "" {
		return
	}
	o.Document = ""
	b, err := json.Marshal(map[string]any{"name": t.Name(), "scenario": s, "outcome": o, "faults": faults})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(*rows, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(append(b, '\n')); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// TestBehaviours has one attacker behave in one way, beside two honest workers, each way in its turn.
func TestBehaviours(t *testing.T) {
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			attacked(t, &scenario{Honest: []string{"a", "b"}, Attackers: []attackers{{"x", "x", []string{name}}}})
		})
	}
}

// TestFamilies has four attackers of two credentials behave in the same way, beside an honest worker.
func TestFamilies(t *testing.T) {
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			only := []string{name}
			attacked(t, &scenario{Honest: []string{"a"}, Attackers: []attackers{
				{"x0", "x", only}, {"x1", "x", only}, {"y0", "y", only}, {"y1", "y", only},
			}})
		})
	}
}

// TestAlone leaves a worker alone that reports nothing true: the run is never complete.
func TestAlone(t *testing.T) {
	for _, name := range hostile.NothingTrue {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := scenario{Attackers: []attackers{{"x", "x", []string{name}}}, Settings: strict, Limit: 10 * time.Second}
			o, err := s.carryOut(folder(t))
			if err != nil {
				t.Fatal(err)
			}
			t.Log(o.line())
			if o.Deeds["x"].Joined == 0 || o.Code == 0 || o.Status.State == status.StateComplete {
				t.Errorf("exit code %d, state %s, %+v", o.Code, o.Status.State, o.Deeds)
			}
		})
	}
}

// TestKilled kills the coordinator, and lets attackers report to the next one what they have reported to the first.
func TestKilled(t *testing.T) {
	for _, name := range []string{
		"again all that it has reported", "an older epoch", "claims all windows", "for another run",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			attacked(t, &scenario{
				Killed: true, Honest: []string{"a", "b"},
				Attackers: []attackers{{"x", "x", []string{name}}, {"y", "y", []string{name}}},
			})
		})
	}
}

// TestMixtures has one to four attackers, of two credentials, behave in up to four ways each, beside one or two honest
// workers. One in eight has the default audits.
func TestMixtures(t *testing.T) {
	all := names()
	for i := range *mixtures {
		n := *seed
		if n == 0 || i > 0 {
			n = rand.Uint64()
		}
		t.Run(fmt.Sprintf("%#x", n), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(n, 2))
			s := &scenario{Seed: n, Honest: []string{"a", "b"}[:1+rnd.IntN(2)], Default: n%8 == 0}
			for j := range 1 + rnd.IntN(4) {
				x := attackers{Credentials: []string{"x", "y"}[rnd.IntN(2)]}
				x.Name = fmt.Sprintf("%s%d", x.Credentials, j)
				for range 1 + rnd.IntN(4) {
					x.Behaviours = append(x.Behaviours, all[rnd.IntN(len(all))])
				}
				t.Logf("%s: %s", x.Name, strings.Join(x.Behaviours, "; "))
				s.Attackers = append(s.Attackers, x)
			}
			attacked(t, s)
		})
	}
}
