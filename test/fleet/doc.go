// Package fleet tests coordinators and workers as processes of their own, with scripts. It checks their output and exit
// codes. The results must be those of a single process, byte for byte.
package fleet
