package puzzle

import (
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/setting"
)

// A Subject describes a run to a reader that knows neither the program nor its settings. Texts of few words have no
// full stop.
type Subject struct {
	Puzzle     string `json:"puzzle"`     // the game by its name: Peg solitaire
	Board      string `json:"board"`      // what it is played on: the English board, decks of 8 cards
	Question   string `json:"question"`   // what was counted, in a few words: games from 44
	Definition string `json:"definition"` // two sentences: the rule of the game, and what was counted
	// Figures show the settings, such as start and goal.
	Figures []figure.Figure `json:"-"`
}

// About is the subject of settings of which New has made a puzzle.
func (d *Definition) About(v setting.Values) (Subject, error) {
	if d.Subject == nil {
		return Subject{Puzzle: d.Name, Board: d.Name, Question: d.Short, Definition: d.Short}, nil
	}
	return d.Subject(v)
}
