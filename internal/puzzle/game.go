package puzzle

// A Game says by which questions a puzzle is played. Pages show a game by it, and know nothing else of the puzzle.
type Game struct {
	// Start is the question whose fact "position" is a position to play from, drawn at random with [SeedFlag].
	Start string
	// Play is the question about a position, which is its first argument. Its answer has the fact "position", the table
	// "moves" and [Answer.Moves].
	Play string
	// Reply, when not "", is a flag of Play with which the program moves first. The fact "reply" names its move, and is
	// absent when there was none to make.
	Reply string
	// Check, when not "", is the question whose fact "verdict" says why a move cannot be made. Its arguments are a
	// position and the names of moves from there on.
	Check string
	// More are questions about a position whose answers help to play. A part of their pictures has a position as its
	// name, from which a game can begin.
	More []string
}

// Moves says how the moves of an answer to Game.Play are made by hand. The first columns of the table "moves" are
// "move", the name of the move, and "position", the one after it; the others are its worth. The best move comes first.
type Moves struct {
	// Presses are, for each row of the table, the parts of the pictures that are pressed one after the other, by name.
	Presses [][]string
	// Best is how many moves are as good as the first one; 0 when no move leads to the aim of the game.
	Best int
	// Over says that the game has ended. A note says how.
	Over bool
	// Refused are pairs of parts that make no move, with the reason.
	Refused []Refusal
}

// A Refusal says why two parts, pressed in either order, make no move.
type Refusal struct {
	Presses [2]string `json:"presses"`
	Why     string    `json:"why"`
	// By is the part that stands against the move.
	By string `json:"by"`
}
