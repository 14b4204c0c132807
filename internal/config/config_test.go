package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"pagoda/internal/puzzle/setting"
)

// options are the keys of every run and those of one puzzle, for a machine with 3 cpus and 1,000,000,000 bytes.
func options(environ []string, set ...string) Options {
	o := Options{
		General: General("some/Folder/My Board.yaml", []string{"peg", "tiles"}, Machine{3, 1_000_000_000}, address),
		Puzzle: func(puzzle string) ([]setting.Setting, error) {
			if puzzle != "peg" {
				return nil, errors.New("this test has only peg")
			}
			return []setting.Setting{{Name: "board", Doc: "the board"}, {Name: "drawing"}}, nil
		},
		Environ: environ,
	}
	for _, s := range set {
		v, err := ParseSet(s)
		if err != nil {
			panic(err)
		}
		o.Overrides = append(o.Overrides, v)
	}
	return o
}

func address(s string) error {
	if s == "nowhere" {
		return errors.New("no such place")
	}
	return nil
}

func TestPrecedenceAndOrigins(t *testing.T) {
	file := "puzzle: peg\n# a comment\nconcurrency: 1_0\nboard: a\ndrawing: |\n  .o.\n  ooo\nretention: last\n"
	c, err := Parse("f.yaml", []byte(file),
		options([]string{"PAGODA_CONCURRENCY=4", "PAGODA_BOARD=b", "PAGODA_RETENTION=", "HOME=/", "WORKERS=9"},
			"board=d=e", "audit_fraction=0.25", "locality=false", "worker_timeout=1m30s"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][2]string{
		"puzzle":             {"peg", "f.yaml:1"},
		"name":               {"my-board", "default: name of the config file"},
		"data_dir":           {"", "default"},
		"concurrency":        {"4", "PAGODA_CONCURRENCY"},
		"window_addresses":   {"4194304", "default"},
		"memory_limit_bytes": {"800000000", "default: 80 % of this machine or its cgroup"},
		"retention":          {"last", "f.yaml:8"},
		"replicas":           {"1", "default"},
		"weight":             {"1", "default"},
		"archive":            {"", "default"},
		"export":             {"", "default"},
		"export_tables":      {"results", "default"},
		"export_formats":     {"csv", "default"},
		"notify":             {"", "default"},
		"notify_secret_file": {"", "default"},
		"audit_fraction":     {"0.25", "--set"},
		"audit_by":           {"workers", "default"},
		"locality":           {"false", "--set"},
		"worker_timeout":     {"1m30s", "--set"},
		"rejoin_grace":       {"5s", "default"},
		"ack_wait":           {"30s", "default"},
		"board":              {"d=e", "--set"},
		"drawing":            {".o.\nooo\n", "f.yaml:5"},
	}
	for _, s := range c.Settings() {
		if w := want[s.Setting.Name]; s.Value != w[0] || s.Origin != w[1] {
			t.Errorf("%s = %q from %q, want %q from %q", s.Setting.Name, s.Value, s.Origin, w[0], w[1])
		}
		delete(want, s.Setting.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing settings: %v", want)
	}
	if c.Uint("concurrency") != 4 || !c.Given("concurrency") || c.Given("window_addresses") {
		t.Error("accessors disagree with the settings")
	}
	if c.Share("audit_fraction") != 0.25 || c.Bool("locality") || c.Duration("worker_timeout") != 90*time.Second {
		t.Error("accessors of shares, booleans and durations disagree with the settings")
	}
}

func TestZeroAsksForTheDefault(t *testing.T) {
	c, err := Parse("f.yaml", []byte("puzzle: peg\nmemory_limit_bytes: 0\n"), options(nil))
	if err != nil {
		t.Fatal(err)
	}
	if c.Uint("memory_limit_bytes") != 800_000_000 {
		t.Errorf("memory_limit_bytes = %d", c.Uint("memory_limit_bytes"))
	}
}

func TestErrorsSayWhereAndWhat(t *testing.T) {
	tests := []struct {
		file          string
		environ, set  []string
		message, hint string
	}{
		{file: "puzzle: peg\n", set: []string{"board=c", "locality=true", "board=d"},
			message: `--set: key "board" is given twice: "c" and "d"`, hint: "leave one of the two out"},
		{file: "puzzle: peg\nboard: !!int triangle4\n", message: `f.yaml:2: key "board" has the yaml tag "!!int"`},
		{file: "puzzle: peg\nboard: !!null triangle4\n", message: `f.yaml:2: key "board" has the yaml tag "!!null"`},
		{file: "puzzle: peg\n!x board: triangle4\n", message: `f.yaml:2: key "board" has the yaml tag "!x"`},
		{file: "puzzle: peg\nbord: x\n", message: `f.yaml:2: unknown key "bord"`, hint: "did you mean board?"},
		{file: "puzzle: peg\nxyzzy: x\n", message: `f.yaml:2: unknown key "xyzzy"`, hint: "the keys are puzzle, name,"},
		{
			file:    "puzzle: peg\n",
			environ: []string{"PAGODA_CONCURENCY=2"},
			message: `PAGODA_CONCURENCY: unknown key "concurency"`,
			hint:    "did you mean concurrency?",
		},
		{file: "puzzle: peg\n", environ: []string{"PAGODA_concurrency=2"}, message: "PAGODA_concurrency: not in capitals",
			hint: "write PAGODA_CONCURRENCY"},
		{
			file:    "puzzle: peg\n",
			set:     []string{"Retention=all"},
			message: `--set: unknown key "Retention"`,
			hint:    "did you mean retention?",
		},
		{file: "", message: "f.yaml: puzzle: nothing is chosen; choose peg or tiles", hint: "puzzle: what is enumerated"},
		{file: "puzzle: pge\n", message: `f.yaml:1: puzzle: "pge" is not one of peg or tiles`},
		{file: "puzzle: tiles\n", message: "f.yaml:1: puzzle: this test has only peg"},
		{
			file:    "puzzle: peg\nconcurrency: -1\n",
			message: `f.yaml:2: concurrency: "-1" is not a whole number between 0 and 1024`,
			hint:    "concurrency: windows that this process computes at the same time, each on one cpu",
		},
		{file: "puzzle: peg\nreplicas: 0\n", message: `"0" is not a whole number between 1 and 16`},
		{
			file:    "puzzle: peg\naudit_fraction: 1.01\n",
			message: `f.yaml:2: audit_fraction: "1.01" is not a fraction from 0 to 1`,
		},
		{file: "puzzle: peg\naudit_fraction: 1e-3\n", message: `"1e-3" is not a fraction`},
		{file: "puzzle: peg\naudit_fraction: NaN\n", message: `"NaN" is not a fraction`},
		{file: "puzzle: peg\naudit_fraction:\n", message: `"" is not a fraction`},
		{file: "puzzle: peg\nlocality: yes\n", message: `"yes" is not true or false`},
		{file: "puzzle: peg\nworker_timeout: 10\n", message: `"10" is not a time between 1s and 1h0m0s`},
		{file: "puzzle: peg\nack_wait: 10ms\n", message: `"10ms" is not a time`},
		{file: "puzzle: peg\nconcurrency: 1025\n", message: `"1025" is not`},
		{file: "puzzle: peg\nconcurrency: 1.5\n", message: `"1.5" is not`},
		{file: "puzzle: peg\nconcurrency: 0x4\n", message: `"0x4" is not`},
		{file: "puzzle: peg\nconcurrency: 1__0\n", message: `"1__0" is not`},
		{file: "puzzle: peg\nconcurrency:\n", message: `f.yaml:2: concurrency: "" is not`},
		{file: "puzzle: peg\nwindow_addresses: 99999999999999999999\n", message: "is not a whole number between 0 and"},
		{file: "puzzle: peg\nmemory_limit_bytes: 1000\n", message: `"1000" is not a whole number between 67108864 and`},
		{file: "puzzle: peg\nretention: none\n", message: `"none" is not one of all, last or summary`},
		{file: "puzzle: peg\narchive: nowhere\n", message: "f.yaml:2: archive: no such place"},
		{file: "puzzle: peg\nname: A B\n", message: `"A B" is not a name`},
		{file: "puzzle: peg\nname: ../x\n", message: `"../x" is not a name`},
		{file: "puzzle: peg\nretention: all\npuzzle: peg\n", message: `f.yaml:3: key "puzzle" stands here and on line 1`},
		{file: "- puzzle\n", message: "f.yaml:1: not a list of keys"},
		{file: "puzzle: [peg]\n", message: `f.yaml:1: key "puzzle" must have one plain value`},
		{file: "puzzle: &a peg\nboard: *a\n", message: `f.yaml:2: key "board" must have one plain value`},
		{file: "puzzle: peg\n---\npuzzle: peg\n", message: "f.yaml: more than one yaml document"},
		{file: "puzzle: peg\n  x: 1\n", message: "f.yaml:2: not valid yaml: "},
		{file: "puzzle: \"peg\n", message: "f.yaml:"},
	}
	for _, test := range tests {
		_, err := Parse("f.yaml", []byte(test.file), options(test.environ, test.set...))
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%q: error %v, want an *Error", test.file, err)
			continue
		}
		if !strings.Contains(err.Error(), test.message) || strings.ContainsAny(err.Error(), "\n") {
			t.Errorf("%q: error %q, want %q", test.file, err, test.message)
		}
		if !strings.Contains(e.Advice(), test.hint) {
			t.Errorf("%q: hint %q, want %q", test.file, e.Advice(), test.hint)
		}
	}
}

func TestParseSetRejects(t *testing.T) {
	for _, s := range []string{"", "concurrency", "=2"} {
		if v, err := ParseSet(s); err == nil {
			t.Errorf("ParseSet(%q) = %v, want an error", s, v)
		}
	}
}

func TestServiceVariablesOfAClusterAreIgnored(t *testing.T) {
	environ := []string{
		"PAGODA_NATS_SERVICE_HOST=10.0.0.1",
		"PAGODA_NATS_SERVICE_PORT=4222",
		"PAGODA_NATS_SERVICE_PORT_CLIENT=4222",
		"PAGODA_NATS_PORT=tcp://10.0.0.1:4222",
		"PAGODA_NATS_PORT_4222_TCP=tcp://10.0.0.1:4222",
		"PAGODA_NATS_PORT_4222_TCP_PROTO=tcp",
		"PAGODA_NATS_PORT_4222_TCP_PORT=4222",
		"PAGODA_NATS_PORT_4222_TCP_ADDR=10.0.0.1",
	}
	if _, err := Parse("f.yaml", []byte("puzzle: peg\n"), options(environ)); err != nil {
		t.Error(err)
	}
}

func TestLoadFiles(t *testing.T) {
	dir := t.TempDir()
	big := filepath.Join(dir, "big.yaml")
	if err := os.WriteFile(big, make([]byte, maxFileBytes+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, message := range map[string]string{
		filepath.Join(dir, "none.yaml"): "no such config file",
		dir:                             "not a regular file",
		big:                             "too much",
	} {
		var e *Error
		if _, err := Load(path, options(nil)); !errors.As(err, &e) || !strings.Contains(err.Error(), message) {
			t.Errorf("load %s: %v, want %q", path, err, message)
		}
	}
	good := filepath.Join(dir, "good.yaml")
	if err := os.WriteFile(good, []byte("puzzle: peg\nboard: x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(good, options(nil))
	if err != nil || c.Text("board") != "x" || c.Path != good {
		t.Errorf("load: %v, %v", c, err)
	}
}

func TestLocate(t *testing.T) {
	c, err := Parse("f.yaml", []byte("puzzle: peg\nboard: x\n"), options(nil))
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("no such board:\n  x")
	err = c.Locate(&setting.Error{Setting: "board", Err: cause, Hint: "try y"})
	var e *Error
	if !errors.As(err, &e) || err.Error() != "f.yaml:2: board: no such board: x" || e.Advice() != "try y" {
		t.Errorf("located: %v", err)
	}
	if !errors.Is(err, cause) {
		t.Error("the cause is lost")
	}
	if again := c.Locate(err); fmt.Sprint(again) != fmt.Sprint(err) {
		t.Errorf("located twice: %v", again)
	}
	if err := c.Locate(
		&setting.Error{Setting: "drawing", Err: cause},
	); !strings.HasPrefix(
		err.Error(),
		"f.yaml: drawing: ",
	) {
		t.Errorf("a default has no line: %v", err)
	}
	if err := c.Locate(errors.New("too big")); err.Error() != "f.yaml: too big" {
		t.Errorf("an error without key: %v", err)
	}
}

func TestNameFromPath(t *testing.T) {
	for path, want := range map[string]string{
		"configs/english.yaml": "english", "a/B c.d.yml": "b-c-d", "-x": "x", "..": "run", "é.yaml": "run",
		strings.Repeat("a", 100): strings.Repeat("a", 63),
	} {
		if got := NameFromPath(path); got != want {
			t.Errorf("NameFromPath(%q) = %q, want %q", path, got, want)
		}
	}
}

// FuzzParse: whatever the file says, the answer is a complete config or an error of one line.
func FuzzParse(f *testing.F) {
	f.Add([]byte("puzzle: peg\nconcurrency: 2\nboard: |\n  oo.\n"))
	f.Add([]byte("puzzle: &a [peg, *a]\n"))
	f.Add([]byte("? {a: b}\n: !!binary x\n"))
	o := options(nil)
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("f.yaml", data, o)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || strings.ContainsFunc(err.Error()+e.Advice(), unicode.IsControl) {
				t.Fatalf("error %q", err)
			}
			return
		}
		if c.Text("puzzle") != "peg" || c.Uint("concurrency") > 1024 || len(c.Settings()) != len(o.General)+2 {
			t.Fatalf("config %v", c)
		}
	})
}

// TestPassUnknown: keys that a later program has written into a file are passed over where that is asked for. Those of
// other sources are not.
func TestPassUnknown(t *testing.T) {
	file := []byte("puzzle: peg\nfrom_later: 7\nboard: a\n")
	o := options(nil)
	if _, err := Parse("f.yaml", file, o); err == nil {
		t.Error("an unknown key is taken")
	}
	o.PassUnknown = true
	c, err := Parse("f.yaml", file, o)
	if err != nil || c.Text("board") != "a" {
		t.Errorf("%v, %v", c, err)
	}
	o.Environ = []string{"PAGODA_FROM_LATER=7"}
	if _, err := Parse("f.yaml", file, o); err == nil {
		t.Error("an unknown key of the environment is taken")
	}
}
