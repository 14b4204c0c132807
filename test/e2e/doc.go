// Package e2e runs the programs as people do, with real stores, real kills and real damage, and compares what they
// print and export with published results and with each other.
//
//	go test -tags e2e -v ./test/e2e -args -seed 42
//
// Random choices come from the seed, which is printed; 0, the default, draws a new one.
//
// testdata/english.csv is the layer table of the English board from the centre. Positions after n jumps are OEIS
// A112737, symmetry classes A112738; the totals of games and solutions stand in Bill Butler's tables (durangobill.com).
// Paths, dead ends and games ended by layer come from brute force with a hash map over canonical positions, which
// reproduces all that is published.
package e2e
