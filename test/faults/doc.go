// Package faults holds one long test: a run on a fleet of real processes. They are killed, frozen, cut off, deprived of
// their disks and sent false data. The result must have the digits of an undisturbed run.
//
// Every process has a network namespace of its own on one bridge, so that two of them can be cut off from each other
// as by a broken switch. A disk is a file system in memory, so that it can be full. A worker's transfers to others can
// be led through a proxy that flips bits. A supervisor restarts every process that exits, as a cluster would.
//
// It needs root, Linux and iproute2:
//
//	go test -tags faults -count 1 -timeout 60m -v ./test/faults -args -faults 200 -seed 1
package faults
