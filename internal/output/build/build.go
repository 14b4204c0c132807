// Package build says which program this is: in version commands, metrics, certificates and exported files.
package build

import "runtime/debug"

// Info holds the version that the compiler wrote into the program.
type Info struct {
	Version  string // of the module, "(devel)" for a checkout; "unknown" where the compiler wrote nothing
	Revision string // of the source, with "+dirty" where it was changed; "unknown" outside a checkout
}

// Read reads the version that the compiler wrote into the program.
func Read() Info {
	b := Info{Version: "unknown", Revision: "unknown"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
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
	return b
}
