//go:build long

package goals

const all = true
