package config

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestYAMLReadsBack(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[-.o* \n#:|]{0,20}`), rapid.SampledFrom([]string{
		"null", "true", "1_000", "0x1", "~", "  o\n o o\n", "\n", "a\n\n", "# no comment", "a # b", "- x"}))
	rapid.Check(t, func(t *rapid.T) {
		// A config need not hold text that no file can have: yaml has no invalid UTF-8 and few control characters.
		drawing := strings.ToValidUTF8(text.Draw(t, "drawing"), "?")
		o := options(nil)
		o.Overrides = []Override{{"puzzle", "peg", "--set"}, {"drawing", drawing, "--set"}, {"concurrency", "1_0", "--set"},
			{"board", strings.ToValidUTF8(text.Draw(t, "board"), "?"), "--set"}}
		c, err := Parse("f.yaml", nil, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, origins := range []bool{false, true} {
			data, err := c.YAML(origins)
			if err != nil {
				t.Fatal(err)
			}
			d, err := Parse("g.yaml", data, options([]string{}))
			if err != nil {
				t.Fatalf("%v in\n%s", err, data)
			}
			for i, s := range c.Settings() {
				if got := d.Settings()[i].Value; got != s.Value {
					t.Fatalf("%s = %q, want %q, in\n%s", s.Setting.Name, got, s.Value, data)
				}
			}
		}
	})
}

func TestYAMLShowsOrigins(t *testing.T) {
	c, err := Parse("f.yaml", []byte("puzzle: peg\ndrawing: |2\n   o\n  o o\n"), options([]string{"PAGODA_CONCURRENCY=3"}))
	if err != nil {
		t.Fatal(err)
	}
	data, err := c.YAML(true)
	if err != nil {
		t.Fatal(err)
	}
	want := `puzzle: peg # f.yaml:1
name: my-board # default: name of the config file
data_dir: "" # default
concurrency: 3 # PAGODA_CONCURRENCY
window_addresses: 4194304 # default
memory_limit_bytes: 800000000 # default: 80 % of this machine or its cgroup
retention: all # default
replicas: 1 # default
weight: 1 # default
archive: "" # default
export: "" # default
export_tables: results # default
export_formats: csv # default
notify: "" # default
notify_secret_file: "" # default
audit_fraction: 0.02 # default: worker processes; 0 without
audit_by: workers # default
locality: true # default
worker_timeout: 10s # default
rejoin_grace: 5s # default
ack_wait: 30s # default
board: "" # default
# f.yaml:2
drawing: |2
   o
  o o
`
	if string(data) != want {
		t.Errorf("got:\n%s", data)
	}
}
