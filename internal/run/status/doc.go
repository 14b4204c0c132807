// Package status says how far a run is, for people and as JSON. It has types alone: package engine fills them in,
// package rundir keeps them in the data folder, commands and metrics show them.
package status
