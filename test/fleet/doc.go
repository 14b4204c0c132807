// Package fleet tests coordinators and workers as processes of their own, with scripts: what they say, how they end,
// and that the results are those of a single process, byte for byte.
package fleet
