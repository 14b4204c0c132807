// Package mousetrap counts decks in Cayley's Mousetrap (1878) and its modular variant, exactly.
//
// The cards 1..n lie in a circle in some order. One counts 1, 2, 3, ... from the first card on. A card on which its own
// number is said is a hit: it is removed, and counting starts again at 1 with the next card. The game ends when the
// count passes n without a hit; counting only to the largest card left makes no difference, because a number above it
// is on no card. In the modular variant 1 follows n, and the game ends when a whole period passes without a hit: the
// least common multiple of n and the number of cards left. A deck wins when all its cards are removed.
//
// How decks are counted. A game is cut after its first k hits. The n-k cards left, the rest, lie in some arrangement,
// beginning with the card at which counting goes on. The game before matters to the rest only through the cells (place,
// card) that it forbids: those in which the card would have been hit earlier. So for every set of cards that can be the
// rest there is
//
//   - a list of its arrangements, those that win or all of them, as bits of one long word, and for each cell the bits
//     of the arrangements that do not have it ([arrangements]);
//   - a search over the orders of the cards removed before, backwards: the card removed last is put back first, so that
//     the circle is fully known at every step and a step forbids cells, which strike bits out ([search]).
//
// The bits that are left at the end of each branch are decks, and are counted, not visited. Backwards, every order of
// removal belongs to at most one deck of the plain game: the place of a card that is put back follows from its number
// (that is Bersani's remark). The sets of cards are the addresses of the puzzle's cells.
//
// Decks with at least k hits, for the k below the cut, are a sum over the same search cut after k hits. Its terms count
// the arrangements of the rest that avoid the forbidden cells: each is the permanent of a matrix of zeros and ones.
package mousetrap
