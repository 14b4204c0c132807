// Package catalog lists the puzzles that a config can name. A puzzle is known to the command line through its entry
// here and nowhere else: its keys, and how they become a puzzle.Puzzle.
package catalog

import (
	"pagoda/internal/config"
	"pagoda/internal/puzzle"
	"pagoda/internal/setting"
)

// An Entry makes a puzzle known.
type Entry struct {
	Name string // the value of the key "puzzle"
	Keys []setting.Setting
	// Build makes the puzzle. An error about a key is a *setting.Error.
	Build func(c *config.Config) (puzzle.Puzzle, error)
}

// entries are the puzzles, in the order in which people see them.
var entries = []Entry{peg, tiles}

// Names lists the puzzles.
func Names() []string {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name
	}
	return names
}

// Keys returns the keys of a puzzle; it is the config.Schema of the program.
func Keys(name string) ([]setting.Setting, error) {
	e, err := find(name)
	return e.Keys, err
}

// Build makes the puzzle that c describes. Errors are *config.Error and say where the value at fault came from.
func Build(c *config.Config) (puzzle.Puzzle, error) {
	e, err := find(c.Text("puzzle"))
	if err != nil {
		return nil, c.Locate(err)
	}
	p, err := e.Build(c)
	if err != nil {
		return nil, c.Locate(err)
	}
	return p, nil
}

func find(name string) (Entry, error) {
	for _, e := range entries {
		if e.Name == name {
			return e, nil
		}
	}
	// Not reached from a config: the key "puzzle" is a choice among Names.
	return Entry{}, &setting.Error{Setting: "puzzle", Err: errUnknown}
}
