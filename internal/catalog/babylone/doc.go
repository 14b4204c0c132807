// Package babylone is the game Babylone: piles of coloured bricks that are put upon each other.
//
// There are bricks of some colours, and at first every brick is a pile. A move puts one pile on another when both are
// equally high or show the same colour on top; the new pile shows the top of the upper one. A player without a move
// loses. A position is its visible part: the multiset of the pairs (height, top colour). With b piles left of n bricks,
// the position is at level n-b: every move leads one level down.
//
// # Which positions occur
//
// Let p(h) be the number of ones of h in binary. A pile of height h and top colour c can be built from some h bricks if
// and only if at least p(h) of them have colour c:
//
//   - Putting a pile on one of the same top colour: p(a+b) <= p(a)+p(b). On one of the same height: p(2h) = p(h). So
//     fewer do not suffice, by induction.
//   - A height of 2^k is two piles of 2^(k-1), one of which holds the brick of colour c and is built so that it shows
//     c; the other shows any colour. Any other height is its powers of two, each with a brick of colour c on top.
//
// Piles do not meddle with each other while they are built. So a position occurs in a game if and only if its heights
// add up to the bricks, and no colour is short: the sum of p(h) over the piles that show c is at most the number of
// bricks of colour c. No search finds the positions: they are counted by products of series, and numbered without gaps.
//
// # Positions up to colours
//
// The piles that show one colour are a partition of the sum of their heights. Two positions are the same up to colours
// when a permutation of the colours takes one to the other: when they have the same multiset of partitions. The moves
// from a position do not depend on the names of its colours, nor on the bricks inside its piles. So one of the
// positions stands for all. A [Puzzle] has one address for each position up to colours and number of piles.
package babylone
