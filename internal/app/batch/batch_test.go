package batch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/catalog"
	"pagoda/internal/config"
)

// load reads a batch of a text, beside a config small.yaml.
func load(t *testing.T, text string, environ ...string) (*Batch, error) {
	t.Helper()
	t.Chdir(t.TempDir())
	for path, text := range map[string]string{
		"b.yaml":     text,
		"small.yaml": "puzzle: peg\nboard: triangle4\nstart: r0c0\n",
		"lean.yaml":  "puzzle: peg\nboard: triangle4\nstart: r0c0\nretention: last\n",
		"wrong.yaml": "puzzle: peg\nboard: triangle4\nstart: r9c9\n",
		"far.yaml":   "puzzle: peg\nboard: triangle4\narchive: s3://bucket/b\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Load(t.Context(), runs.Loader{Catalog: catalog.All, Environ: environ}, "b.yaml", "")
}

func TestMembers(t *testing.T) {
	b, err := load(t, `base: {puzzle: peg, retention: last}
matrix:
  board: [triangle4, triangle5]
  start: [r0c0, r1c0]
  exclude:
    - {board: triangle4, start: r1c0}
  include:
    - {board: english, goal: center, name: mine}
configs: [small.yaml]
`, "PAGODA_RETENTION=summary", "PAGODA_BOARD=square5")
	if err != nil {
		t.Error(err)
		return
	}
	if !slices.Equal(b.Keys, []string{"board", "start", "goal"}) || b.Dir != "runs/b" || b.AtATime != 1 {
		t.Errorf("%+v", b)
	}
	var got []string
	for _, m := range b.Members {
		got = append(got, m.Name+" "+strings.Join(m.Values, ","))
		if m.Dir != filepath.Join("runs/b", m.Name) || m.Config.Text("name") != m.Name ||
			m.Config.Text("retention") != "summary" {
			t.Errorf("%s in %s: %s", m.Name, m.Dir, m.Config.Text("retention"))
		}
	}
	want := []string{"triangle4-r0c0 triangle4,r0c0,", "triangle5-r0c0 triangle5,r0c0,", "triangle5-r1c0 triangle5,r1c0,",
		"mine english,center,center", "small square5,r0c0,"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestMembersShareTheMachine(t *testing.T) {
	const file = "base: {puzzle: peg, start: r0c0, concurrency: 4, memory_limit_bytes: 1073741824}\n" +
		"matrix: {board: [triangle4, triangle5], concurrency: [8]}\nat_a_time: 2\n"
	b, err := load(t, file)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range b.Members {
		if m.Config.Uint("concurrency") != 4 || m.Config.Uint("memory_limit_bytes") != 1<<29 || m.Values[1] != "8" {
			t.Errorf("%s: %d windows, %d bytes, %v", m.Name, m.Config.Uint("concurrency"),
				m.Config.Uint("memory_limit_bytes"), m.Values)
		}
	}
	if b.MemoryLimit != 1<<30 {
		t.Errorf("%d bytes for all", b.MemoryLimit)
	}
}

// TestGiven: settings that the command gives stand above those of the matrix. No part of no window is one.
func TestGiven(t *testing.T) {
	const file = "base: {puzzle: peg, start: r0c0, concurrency: 4}\n" +
		"matrix: {board: [triangle4, triangle5], concurrency: [8]}\nat_a_time: 2\n"
	if _, err := load(t, file); err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]uint64{"6": 3, "1": 1, "0": 0} {
		b, err := Load(t.Context(), runs.Loader{Catalog: catalog.All}, "b.yaml", "",
			config.Override{Key: "concurrency", Value: given, Flag: "--concurrency"})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range b.Members {
			if got := m.Config.Uint("concurrency"); got != want || b.Computes() != (want > 0) {
				t.Errorf("%s of %s: %d windows, computes: %v", m.Name, given, got, b.Computes())
			}
		}
		if err := b.CheckAlone(); (err == nil) != (want > 0) ||
			err != nil && !strings.HasPrefix(err.Error(), "--concurrency: concurrency: 0 leaves all windows") {
			t.Errorf("%s: %v", given, err)
		}
	}
	_, err := Load(t.Context(), runs.Loader{Catalog: catalog.All}, "b.yaml", "",
		config.Override{Key: "concurrency", Value: "x", Flag: "--concurrency"})
	if err == nil || !strings.HasPrefix(err.Error(), "--concurrency: concurrency: ") {
		t.Errorf("the error of a flag does not name the flag alone: %v", err)
	}
}

// TestRefused has every mistake in a batch told in one line, with its place, before anything is made.
func TestRefused(t *testing.T) {
	const base = "base: {puzzle: peg, board: triangle4}\n"
	for _, c := range [][2]string{
		{"", "b.yaml: the batch is empty"},
		{"- a\n", "b.yaml:1: not a list of keys"},
		{"bas: x\n", `b.yaml:1: unknown key "bas" of a batch`},
		{"base: small.yaml\nbase: x\n", `b.yaml:2: key "base" stands here and on line 1`},
		{"base: small.yaml\n", "b.yaml: base and matrix belong together"},
		{"matrix: {start: [r0c0]}\n", "b.yaml: base and matrix belong together"},
		{"at_a_time: 2\n", "b.yaml: the batch has no members"},
		{"configs: small.yaml\n", `b.yaml:1: key "configs" must have a list`},
		{"configs: []\n", `b.yaml:1: key "configs" has no values`},
		{"configs: [none.yaml]\n", "b.yaml:1: member none: none.yaml: no such config file"},
		{"configs: [wrong.yaml]\n", "b.yaml:1: member wrong: wrong.yaml:3: start: "},
		{"configs: [far.yaml]\n",
			"b.yaml:1: member far: far.yaml:3: archive: a batch in one process has its rows beside its ledgers"},
		{"configs: [small.yaml, lean.yaml]\n", "b.yaml:1: member lean is the same run as small of b.yaml:1: "},
		{"configs: [small.yaml, small.yaml]\n", `b.yaml:1: key "configs" has the value "small.yaml" twice`},
		{"configs: [small.yaml, ./small.yaml]\n", "b.yaml:1: the member would be named small, like that of b.yaml:1"},
		{"configs: [small.yaml]\nat_a_time: 0\n",
			`b.yaml:2: at_a_time: "0" is not a whole number between 1 and 1024`},
		{"configs: [small.yaml]\nat_a_time: [2]\n", `b.yaml:2: key "at_a_time" must have one plain value`},
		{"configs: [small.yaml]\nnats: nats://a\n",
			`b.yaml:2: key "nats": the file of a batch does not say where its workers are`},
		{"configs: [small.yaml]\nkubernetes: {}\n",
			`b.yaml:2: key "kubernetes": the file of a batch does not say`},
		{"configs: [small.yaml]\ninclude: []\n", `b.yaml:2: unknown key "include" of a batch`},
		{"base: {name: x}\n", `b.yaml:1: key "name" is not for a batch`},
		{"base: {data_dir: x}\n", `b.yaml:1: key "data_dir" is not for a batch`},
		{"base: {puzzle: [peg]}\n", `b.yaml:1: key "puzzle" must have one plain value`},
		{"base:\n", `b.yaml:1: key "base" has no value`},
		{base + "matrix:\n", `b.yaml:2: key "matrix" must have keys of its own`},
		{base + "matrix: {}\n", "b.yaml:2: the matrix is empty"},
		{base + "matrix: {start: r0c0}\n", `b.yaml:2: key "start" must have a list of values`},
		{base + "matrix: {start: []}\n", `b.yaml:2: key "start" has no values`},
		{base + "matrix: {start: [r0c0, r0c0]}\n", `b.yaml:2: key "start" has the value "r0c0" twice`},
		{base + "matrix:\n  start:\n  - {a: b}\n", `b.yaml:4: key "start" must have one plain value`},
		{base + "matrix: {data_dir: [a]}\n", `b.yaml:2: key "data_dir" is not for a batch`},
		{base + "matrix: {name: [a]}\n", `b.yaml:2: key "name" is not for a batch`},
		{base + "matrix:\n  bord: [a]\n", `b.yaml:3: unknown key "bord"`},
		{base + "matrix:\n  start:\n  - r0c0\n  - r9c9\n", `b.yaml:5: start: `},
		{base + "matrix: {start: [r0c0, a1]}\n", "b.yaml:2: member a1 is the same run as r0c0 of b.yaml:2: "},
		{base + "matrix: {start: [r0c0, r1c0, a2]}\n", "b.yaml:2: member a2 is the same run as r1c0 of b.yaml:2: "},
		{base + "matrix: {concurrency: [0]}\n", "b.yaml:2: concurrency: 0 leaves all windows to worker processes"},
		{base + "matrix:\n  start: [r0c0]\n  exclude: []\n", `b.yaml:4: key "exclude" is empty`},
		{base + "matrix:\n  start: [r0c0]\n  exclude: [{}]\n", `b.yaml:4: key "exclude" has an empty entry`},
		{base + "matrix:\n  start: [r0c0]\n  exclude: [{goal: r0c0}]\n",
			`b.yaml:4: exclude: the matrix has no key "goal"`},
		{base + "matrix:\n  start: [r0c0]\n  exclude: [{start: r1c0}]\n",
			`b.yaml:4: exclude: no combination is left that has start "r1c0"`},
		{base + "matrix:\n  start: [r0c0]\n  exclude: [{start: r0c0}]\n",
			"b.yaml:2: the matrix is empty: everything is excluded"},
		{base + "matrix:\n  start: [r0c0, r1c0]\n  exclude:\n  - {start: r0c0}\n  - {start: [r0c0, r1c0]}\n",
			`b.yaml:6: exclude: no combination is left that has start "r0c0"`},
		{base + "matrix:\n  include: [{name: 'A B', start: r0c0}]\n", `b.yaml:3: "A B" is no name for a member`},
		{base + "matrix:\n  include: [{name: [a, b]}]\n", `b.yaml:3: key "name" is not for a batch`},
	} {
		text, want := c[0], c[1]
		b, err := load(t, text)
		if err == nil {
			err = b.CheckAlone()
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s", text, err, want)
			continue
		}
		if cli.Code(err) != cli.Usage || cli.Advice(err) == "" && !strings.HasSuffix(want, "start: ") {
			t.Errorf("%q: code %d, advice %q", text, cli.Code(err), cli.Advice(err))
		}
		if entries, err := os.ReadDir("."); err != nil || len(entries) != 5 {
			t.Errorf("%q: %v, %v", text, entries, err)
		}
	}
}
