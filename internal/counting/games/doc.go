// Package games counts all games from a start: symmetry classes, positions, paths and dead ends of every layer.
//
//	games.go    the puzzle: identity, layers, windows
//	summary.go  the totals and the table of layers
package games
