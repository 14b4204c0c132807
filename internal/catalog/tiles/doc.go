// Package tiles surveys the tile-grid game, known in French as "tuiles voisines".
//
// The game (R. Millington, Games and Puzzles for Addicts, 1979; Bulletin de l'APMEP 327 to 332): the cells of an m x n
// grid are coloured so that every 2x2 block shows four different colours. Tiles are laid one at a time, one on every
// cell; a tile must differ from the current colour of the cell it covers and of the cell's up to eight neighbours, and
// the cell then has the tile's colour. A final grid is a solution when some order of play reaches it.
//
// # What makes it small
//
// Write a for the initial grid and f for a final one. Cell c may be played before its neighbour d only when f(c)
// differs from a(d); neither order is possible when f(c) = f(d). So f is a solution exactly when
//
//   - f(c) != a(c) for every cell, and f(c) != f(d) for neighbours, and
//   - the relation "d is played before c, because f(c) = a(d)" over neighbours has no cycle.
//
// The orders of play that reach f are then the linear extensions of that relation. The finals of a grid are found by
// gluing 2x2 blocks (solver.go); [Play] is the independent way, which plays the game.
//
// # The usual way in
//
//	g, err := tiles.Parse("RVRV/BWBW/RVRV/BWBW", 5)
//	sol, err := tiles.Solve(ctx, g, tiles.SolveLimits{})  // finals, orders, one game: for people
//	s, err := tiles.New(tiles.Params{Rows: 4, Cols: 4, Colours: 5})
//	// s is a puzzle.Puzzle: one layer without parents, whose windows are ranges of ranks
//
// Nothing here stores, sends, logs or looks at a clock.
package tiles
