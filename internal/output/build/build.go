// Package build says which program this is: in version commands, metrics, certificates and exported files.
package build

import (
	"runtime/debug"
	"strings"
)

// Info holds the version of the program.
type Info struct {
	Version  string // of the module, "(devel)" for a checkout; "unknown" where nothing says it
	Revision string // of the source, with "+dirty" where it was changed; "unknown" where nothing says it
}

// String is the version, with the beginning of the commit unless the version names it.
func (b Info) String() string {
	const digits = 12
	commit := b.Revision[:min(len(b.Revision), digits)]
	if b.Revision == "unknown" || strings.Contains(b.Version, commit) {
		return b.Version
	}
	return b.Version + " " + commit
}

// version and revision are what tools/stamp has the linker write, which is what git says, and empty otherwise. The
// compiler writes nothing under `go run`, in a linked worktree of git, and outside a checkout.
var version, revision string

// Read reads the version that the linker or the compiler wrote into the program.
func Read() Info {
	info, _ := debug.ReadBuildInfo()
	return read(version, revision, info)
}

// read prefers the linker's words to those of the compiler. info is nil where the compiler wrote nothing.
func read(version, revision string, info *debug.BuildInfo) Info {
	b := Info{Version: "unknown", Revision: "unknown"}
	if info != nil {
		if info.Main.Version != "" {
			b.Version = info.Main.Version
		}
		dirty := ""
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				b.Revision = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				dirty = "+dirty"
			}
		}
		b.Revision += dirty
	}
	if version != "" {
		b.Version = version
	}
	if revision != "" {
		b.Revision = revision
	}
	return b
}
