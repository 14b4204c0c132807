// Package faults holds one long test: a run on a fleet of real processes that are killed, frozen, cut off, deprived of
// their disks and sent false data, and that must end with the digits of a run that nobody disturbed.
//
// Every process has a network namespace of its own on one bridge, so that two of them can be cut off from each other
// as by a broken switch; a disk is a file system in memory, so that it can be full; what a worker sends to others can
// be led through a proxy that flips bits. A supervisor starts again whoever exits, as a cluster would.
//
// It needs root, Linux and iproute2:
//
//	go test -tags faults -count 1 -timeout 60m -v ./test/faults -args -faults 200 -seed 1
package faults
