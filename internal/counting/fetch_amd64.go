//go:build amd64 && !purego

package counting

func fetchShort(counts []uint32, ranks []uint16) { prefetch4(&counts[0], &ranks[0], len(ranks)) }

func fetch(counts []uint64, ranks []uint16) { prefetch8(&counts[0], &ranks[0], len(ranks)) }

// prefetch4 and prefetch8 prefetch counts with n > 0 ranks, of 4 and 8 bytes.
//
//go:noescape
func prefetch4(counts *uint32, ranks *uint16, n int)

//go:noescape
func prefetch8(counts *uint64, ranks *uint16, n int)
