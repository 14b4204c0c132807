package countingtest

import (
	"reflect"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
)

// SameInParts compares all windows of a run with as much memory as it wants and of one with so many bytes for each
// window. These windows read their parents and their far cells in parts. It returns how many cells have such windows.
func SameInParts(t puzzletest.TB, p puzzle.Puzzle, memory uint64) (reduced int) {
	t.Helper()
	whole := puzzletest.Play(t, p, puzzletest.Options{Stored: true})
	parts := puzzletest.Play(t, p, puzzletest.Options{Stored: true, Memory: memory})
	if !reflect.DeepEqual(parts.Tallies(), whole.Tallies()) {
		t.Fatalf("tallies differ with %d bytes", memory)
	}
	for n := range whole.Layers() {
		for _, c := range whole.Cells(n) {
			if !reflect.DeepEqual(parts.Rows(c.Cell), whole.Rows(c.Cell)) {
				t.Fatalf("rows of cell %v differ with %d bytes", c.Cell, memory)
			}
			if c.LeastBytes > c.MemoryBytes {
				t.Fatalf("cell %v can do with %d bytes, but takes %d", c.Cell, c.LeastBytes, c.MemoryBytes)
			}
			if c.LeastBytes > 0 && memory < c.MemoryBytes && c.LeastBytes < c.MemoryBytes {
				reduced++
			}
		}
	}
	return reduced
}
