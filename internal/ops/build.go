package ops

import (
	"runtime/debug"
)

// Build says which program this is.
type Build struct {
	Version  string // of the module, "(devel)" for a checkout
	Revision string // of the source, with "+dirty" where it was changed; "unknown" outside a checkout
}

// ReadBuild reads what the compiler wrote into the program.
func ReadBuild() Build {
	b := Build{Version: "unknown", Revision: "unknown"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Version = info.Main.Version
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
	return b
}
