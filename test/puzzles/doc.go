// Package puzzles has tests of every question that a config can ask, carried out by the pipeline: interrupted and
// resumed, by other numbers of windows at a time, with windows computed twice, and cut into other windows, a run gives
// the same bytes.
package puzzles
