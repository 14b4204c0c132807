package protocol

import (
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
)

// ArchiveName names the archive of a run among the holders of a window. No worker can have the name. Its Peer has no
// address: its readers know where it is.
const ArchiveName = "archive"

// Archived is a window of the archive, as the name of its object says. The object's content is checked when it is read.
type Archived struct {
	Window puzzle.WindowID
	Digest blocks.Digest
}

// HasArchive reports whether the archive is among some holders.
func HasArchive(holders []Peer) bool {
	for i := range holders {
		if holders[i].Name == ArchiveName {
			return true
		}
	}
	return false
}
