package runs

import (
	"io"

	"pagoda/internal/kv"
)

// LeavesTable is the name of the list of the leaves of a certificate's tree, which is no table: tallies differ in their
// lengths. It has JSON lines alone.
const LeavesTable = "leaves"

// writeLeaves writes the JSON of each committed window, with its tally, as its leaf in the tree of the certificate has
// it: one in a line, in the order of the tree. Memory does not grow with the windows.
func (s *Stored) writeLeaves(w io.Writer) error {
	return s.Folder.Ledger.Load(func(e kv.Entry) error {
		if _, ok := s.Results.Cell(e.Record.Cell); !ok {
			return nil
		}
		window := certified(&e.Record)
		text, err := window.JSON()
		if err == nil {
			_, err = w.Write(append(text, '\n'))
		}
		return err
	})
}
