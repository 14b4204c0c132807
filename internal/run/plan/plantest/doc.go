// Package plantest has puzzles that are never computed: plans at random, and of shapes that tests ask for.
package plantest
