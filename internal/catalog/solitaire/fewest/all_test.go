//go:build !long

package fewest

// all says whether all pairs of the English board are compared, which takes some two minutes, or the quick ones.
const all = false
