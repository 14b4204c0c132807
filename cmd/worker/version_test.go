package main

import (
	"errors"
	"strings"
	"testing"

	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
)

// TestAnnouncements: a worker serves a run whose config has a key of a later program, if the run is the same without
// it. Otherwise it says why it does not.
func TestAnnouncements(t *testing.T) {
	const run, config = "b99de8fdba8c", "puzzle: peg\nboard: triangle5\nstart: r0c0\ngoal: r0c0\ncount: games\n"
	for _, test := range []struct {
		name, config string
		versions     protocol.Versions
		want         string
	}{
		{"an earlier program", config, protocol.Versions{}, ""},
		{"a later program", config + "from_later: 7\n", protocol.Versions{Program: "v9", Messages: 2, Format: 1}, ""},
		{"a key that changes the run", config + "from_later: 7\nstart: r1c0\n", protocol.Versions{}, "start"},
		{"another run", strings.Replace(config, "r0c0", "r1c0", 1), protocol.Versions{}, "run ID"},
		{"a later puzzle", "puzzle: chess\n", protocol.Versions{}, "chess"},
		{"later messages", config, protocol.Versions{Messages: 3, Format: 1}, "speaks version 3"},
		{"a later format", config, protocol.Versions{Messages: 2, Format: 2}, "data format 2"},
	} {
		_, _, err := puzzleOf(&protocol.Announcement{Run: run, Config: test.config, Versions: test.versions})
		var no *refusal
		right := err == nil && test.want == ""
		if err != nil && test.want != "" {
			right = errors.As(err, &no) && strings.Contains(err.Error(), test.want)
		}
		if !right {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
	// An earlier program began this run, under another ID.
	const earlier = "accf384b05eb"
	p, _, err := puzzleOf(&protocol.Announcement{Run: earlier, Config: config})
	if err != nil || rundir.RunID(p.Identity()) != earlier {
		t.Errorf("a run of an earlier program: %v", err)
	}
}
