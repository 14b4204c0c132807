// Package enginetest holds the shared parts of tests of whole runs: toy puzzles, one for each shape that the seam must
// fit, with slow references of their own, and a queue in memory that loses, repeats and reorders tasks on demand.
package enginetest
