//go:build !amd64 || purego

package counting

func fetchShort([]uint32, []uint16) {}

func fetch([]uint64, []uint16) {}
