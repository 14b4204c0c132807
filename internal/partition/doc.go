// Package partition cuts the positions of a board into layers, cells and windows, and gives every position its address.
//
// A jump moves a peg within its playable class and removes a peg of another class, or with some rules of the same one.
// So it lowers exactly one of the four class counts by one. Cells are the class-count vectors, up to the symmetries
// that fix the start; a cell has at most four parents, one for each class that a jump can have removed. Within a cell
// the address function
//
//	F(position) = base[prefix] + offset[mid] + rank[low]
//
// is a bijection from the cell's addressable positions to 0..Addresses-1. The holes are put in a fixed order and split
// into three fields, each mapped to itself by the symmetry group:
//
//	prefix  decides the symmetry: only positions whose prefix is the smallest of its images are addressed
//	mid     what is neither prefix nor low
//	low     the innermost loop: a stretch of consecutive addresses shares prefix and mid, and is ranked by one table
//
// Only positions with the right class counts and the right GF(2) invariants (the rule of three) get an address: 1 in 16
// on the usual boards. A prefix that some symmetries fix leaves positions that are images of each other under
// those symmetries; they all have addresses, hold equal counts, and the smallest of them stands for the class. That
// costs a few percent of the addresses and spares every kernel the search for a canonical form among ties.
package partition
