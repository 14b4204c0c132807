//go:build long

package fewest

const all = true
