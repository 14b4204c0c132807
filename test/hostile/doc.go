// Package hostile runs fleets of processes with hostile workers among them, over TCP and TLS, with credentials: a
// coordinator and honest workers as they are shipped, and attackers, which are this test program started again. An
// attacker does what package enginetest/hostile says, and what only a socket can do.
package hostile
