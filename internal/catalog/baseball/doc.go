// Package baseball searches the configurations of colour baseball (C. Bal, 2017) for their distances from the goal.
//
// The puzzle: n bases, two places each, base i of colour i. There are two tokens of every colour but 0, and one of
// colour 0, so one place is free. A token of a neighbouring base may move to the free place. On the ring bases 0 and
// n-1 are neighbours, on the line they are not. At the goal every token is in the base of its colour. Tokens of one
// colour and the two places of a base are not told apart.
//
// # What makes it small
//
// A configuration is a free base and a rank among those that have it free (order.go). Ranks follow the bases from base
// 0 up, and the bases after a base depend only on the tokens that are left. So a move between bases h and h+1 keeps the
// rank's part for the bases before and after them: it moves whole stretches of ranks, and sets of configurations are
// moved as bits, 64 at a time (stretch.go). On the ring the reflection i -> -i keeps the goal; only configurations
// whose free base is in the first half are stored (mirror.go). A move can be taken back. So a configuration is new in a
// layer when it has a neighbour in the layer before, and is neither there nor in the one before that.
//
// # The usual way in
//
//	c, err := baseball.Parse("44|0_|11|22|33")
//	way, err := baseball.Shortest(ctx, c, baseball.Ring, baseball.DefaultLimit)
//	p, err := baseball.New(baseball.Params{Bases: 6, Board: baseball.Ring})
//	// p is a puzzle.Puzzle: one layer for every distance, and one that runs the source's methods
//
// Nothing here stores, sends, logs or looks at a clock.
package baseball
