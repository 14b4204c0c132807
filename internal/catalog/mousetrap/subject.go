package mousetrap

import (
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
)

// subject describes a survey in words.
func subject(v setting.Values) (puzzle.Subject, error) {
	s := puzzle.Subject{Puzzle: "Mousetrap", Board: "decks of " + plural.Of(v.Uint("cards"), "card")}
	ends := "the game ends when the count passes the number of cards"
	if v.Text("variant") == modular {
		s.Board += ", modular game"
		ends = "1 follows the number of cards, and the game ends when no card can be hit any more"
	}
	s.Definition = "Cards numbered from 1 lie in a circle and are counted 1, 2, 3 and so on; a card on which its own " +
		"number is said is hit and leaves, counting begins again with the next one, and " + ends + ". "
	switch Count(v.Text("count")) {
	case Hits:
		s.Question = "decks by their hits"
		s.Definition += "Counted are the decks, by how many of their cards are hit."
	case Reforms:
		s.Question = "winning decks by how often they can be reformed"
		s.Definition += "Counted are the decks whose cards all leave, by how often the order in which they leave wins again."
	default:
		s.Question = "winning decks"
		s.Definition += "Counted are the decks whose cards all leave."
	}
	return s, nil
}
