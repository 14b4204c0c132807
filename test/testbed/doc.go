//go:build linux

// Package testbed makes a small cluster of one machine, for tests that break things and for measurements: real
// processes, each in a network namespace of its own on one bridge, under a supervisor that restarts a process when it
// exits. Two of them can be cut off from each other as by a broken switch. A disk is a file system in memory, so that
// it can be full. A worker's data can be led through a proxy that is slow or flips bits.
//
// It needs root, Linux, iproute2 and util-linux, and one test at a time on a machine.
package testbed
