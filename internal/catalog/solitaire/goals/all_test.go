//go:build !long

package goals

// all says whether the shortest dead ends of all boards are looked for, which takes some 40 CPU seconds, or those of
// the smaller ones.
const all = false
