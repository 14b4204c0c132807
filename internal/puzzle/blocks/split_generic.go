//go:build !amd64 || purego

package blocks

const splits = false

func splitEights([]byte, []byte, []uint64, scale, *packing) { panic("not on this machine") }
