// Package simulate runs a whole fleet in one process and in virtual time: coordinators, workers, their stores, ledgers
// and transfers are the program's own, the network, the queue's server, the disks and the clock are simulated. A seed
// draws a run and the faults that it meets; the same seed repeats both. See docs/simulation.md.
package simulate
