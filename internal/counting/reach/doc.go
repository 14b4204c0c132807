// Package reach finds all positions of peg solitaire that can be reached from a start, 64 at a time.
//
// A position is cut in two: the pattern of one playable class, the word class, and the row, the patterns of the other
// three. In a cell (a class-count vector) the number of pegs of every class is fixed. So the invariants of the board
// (the rule of three) leave for a row only the word patterns of one value. A row needs one bit for each word pattern of
// the cell's weight and the value that the row leaves, in ascending order of the patterns: at most 70 bits on the
// English board, whose word class is the 12 holes an odd number of rows and of columns from the centre. The bits of a
// row are kept in planes of 64.
//
// A jump then acts on all the bits of a row at once:
//
//   - a jump that does not touch the word class takes the bits of one row to another as they are;
//   - a jump that touches it fixes some holes of the pattern before and others after. Among the patterns that agree on
//     these holes changing them keeps the order, so the bits are extracted under one mask and deposited under another.
//     Opposite jumps over one hole come from one row, and are done together.
//
// Rows are ordered by class, prefix, mid and stretch: the rows of one prefix and mid pattern are a stretch, and stretch
// patterns of the same invariants are neighbours. Only stretches that are the smallest of their images under the
// symmetries of the cell are computed and stored. A window needs other images of its parents too. On a machine that
// permutes the bits of a word in a few instructions (AVX2 or AVX-512) it reads a stored stretch and does the symmetry
// and the jump in one permutation. Elsewhere, and where the symmetry takes stretches apart, rows have more than 128
// bits or the stored parent is large, rows are unfolded to all images first. Without those instructions jumps move the
// bits in steps of powers of two, see package wordmap. All ways give the same bytes.
//
// A run finds all positions (Reach), or those alone from which a goal can be reached (Winnable). In the latter small
// vectors share a cell.
package reach
