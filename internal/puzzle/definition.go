package puzzle

import "pagoda/internal/puzzle/setting"

// A Definition makes a puzzle known to the programs: the catalogue lists definitions, and nothing else names a puzzle.
type Definition struct {
	// Name is the value of the setting "puzzle" and the command under which the questions stand: coordinator NAME
	// QUESTION.
	Name string
	// Short describes the puzzle, or the question about it, in one line. Long does so in paragraphs of at most 120
	// columns.
	Short, Long string
	// Settings are those of the puzzle, beside the ones of every run. Of the latter New may read name and
	// window_addresses.
	Settings []setting.Setting
	// New makes the puzzle that the settings describe. An error about a setting is a *setting.Error.
	New func(v setting.Values) (Puzzle, error)
	// Problem says how settings were understood of which New has made a puzzle; nil: it is not said. [Definition.State]
	// asks it.
	Problem func(v setting.Values) (Problem, error)
	// Subject says what a run is about with settings of which New has made a puzzle; nil: Short says enough.
	// [Definition.About] asks it.
	Subject func(v setting.Values) (Subject, error)
	// Begin refuses settings with which no run is to begin, though New takes them, because folders of earlier runs have
	// them. An error about a setting is a *setting.Error. nil refuses nothing.
	Begin func(v setting.Values) error
	// Links returns what makes the address of a row on the page of coordinator explore, from # on, for a table with these
	// columns of a run with these settings. It returns an error when the rows have none. nil: no rows of the puzzle have.
	Links func(v setting.Values, columns []Column) (func(row []Value) (string, error), error)
	// Questions lists the questions of the puzzle, in the order of the help.
	Questions []Question
	// Game says by which of them the puzzle is played; nil: it is not.
	Game *Game
}
