// Package example is the puzzle of docs/adding-a-puzzle.md: the walks of a knight on a square board. It is complete and
// small, it is no part of the programs, and the tests run it through all of them.
//
// Layer n is the walks of n moves, with one cell: address r*side+c is the square in row r and column c, and the row of
// an address is the number of walks from the corner to that square. A square that no walk ends on has no row.
package example
