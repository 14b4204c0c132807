// Package catalog lists the puzzles that a config can name and the commands can ask. A puzzle is known to the programs
// through its line in [All] and nowhere else.
package catalog

import (
	"errors"

	"pagoda/internal/catalog/babylone"
	"pagoda/internal/catalog/baseball"
	"pagoda/internal/catalog/mousetrap"
	"pagoda/internal/catalog/solitaire"
	"pagoda/internal/catalog/tiles"
	"pagoda/internal/config"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
)

// All are the puzzles, in the order in which people see them.
var All = Catalog{
	solitaire.Definition,
	tiles.Definition,
	mousetrap.Definition,
	baseball.Definition,
	babylone.Definition,
}

// A Catalog is a list of puzzles.
type Catalog []puzzle.Definition

// Names lists the puzzles.
func (c Catalog) Names() []string {
	names := make([]string, len(c))
	for i := range c {
		names[i] = c[i].Name
	}
	return names
}

// Settings returns the settings of a puzzle; it is the config.Schema of a program.
func (c Catalog) Settings(name string) ([]setting.Setting, error) {
	d, err := c.Find(name)
	if err != nil {
		return nil, err
	}
	return d.Settings, nil
}

var errUnknown = errors.New("no such puzzle")

// Find returns the definition of a puzzle. The error is a *setting.Error.
func (c Catalog) Find(name string) (*puzzle.Definition, error) {
	for i := range c {
		if c[i].Name == name {
			return &c[i], nil
		}
	}
	return nil, &setting.Error{Setting: "puzzle", Err: errUnknown, Hint: "there is " + setting.List(c.Names())}
}

// Build makes the puzzle that a config describes. Errors are *config.Error and say where the value at fault came from.
func (c Catalog) Build(settings *config.Config) (puzzle.Puzzle, error) {
	d, err := c.Find(settings.Text("puzzle"))
	if err != nil {
		return nil, settings.Locate(err)
	}
	p, err := d.New(settings)
	if err != nil {
		return nil, settings.Locate(err)
	}
	return p, nil
}
