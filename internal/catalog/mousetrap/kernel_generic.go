//go:build !amd64 || purego

package mousetrap

import "pagoda/internal/puzzle/vector"

var setsBy = vector.None

func intersectFast(_, _, _ []uint64, _ []int32) bool { panic("mousetrap: no vectors") }

func countFast(_, _ []uint64, _ []int32) uint64 { panic("mousetrap: no vectors") }
