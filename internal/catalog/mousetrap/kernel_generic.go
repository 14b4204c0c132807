//go:build !amd64 || purego

package mousetrap

const haveVectors = false

func intersectFast(_, _, _ []uint64, _ []int32) bool { panic("mousetrap: no vectors") }

func countFast(_, _ []uint64, _ []int32) uint64 { panic("mousetrap: no vectors") }
