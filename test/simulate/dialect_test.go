package simulate

import (
	"bytes"
	"fmt"

	"pagoda/internal/run/protocol"
)

// dialect is how another version of the program differs from this one, while a fleet is upgraded.
type dialect struct {
	later   bool // its messages have a field that this program does not know
	version int  // of its messages, less this program's
}

// says is a message of this program as a process sends it.
func (d dialect) says(b []byte) []byte {
	if d.version != 0 {
		b = bytes.Replace(b, versionField(0), versionField(d.version), 1)
	}
	if d.later && len(b) > 2 {
		b = append([]byte(`{"later":{"than":[1]},`), b[1:]...)
	}
	return b
}

// hears is a message as a process reads it: its own version is for it what this program's is for this program.
func (d dialect) hears(b []byte) []byte {
	for v := range 100 {
		if from := versionField(v); d.version != 0 && bytes.Contains(b, from) {
			return bytes.Replace(b, from, versionField(v-d.version), 1)
		}
	}
	return b
}

// versionField is how a Join says its version.
func versionField(above int) []byte {
	return fmt.Appendf(nil, `"version":%d,"run"`, protocol.Version+above)
}
