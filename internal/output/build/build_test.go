package build

import (
	"runtime/debug"
	"testing"
)

func TestRead(t *testing.T) {
	compiled := &debug.BuildInfo{
		Main:     debug.Module{Version: "v0.0.0-20260101000000-abc"},
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}},
	}
	unstamped := &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}
	for name, test := range map[string]struct {
		version, revision string
		info              *debug.BuildInfo
		want              Info
	}{
		"nothing":              {"", "", nil, Info{"unknown", "unknown"}},
		"go run":               {"", "", unstamped, Info{"(devel)", "unknown"}},
		"go build in a clone":  {"", "", compiled, Info{"v0.0.0-20260101000000-abc", "abc+dirty"}},
		"a release":            {"v1.2.0", "def", compiled, Info{"v1.2.0", "def"}},
		"a release of a copy":  {"v1.2.0", "", nil, Info{"v1.2.0", "unknown"}},
		"a worktree's release": {"v1.2.0", "def", unstamped, Info{"v1.2.0", "def"}},
	} {
		if got := read(test.version, test.revision, test.info); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}
