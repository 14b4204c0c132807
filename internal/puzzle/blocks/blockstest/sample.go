package blockstest

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/cespare/xxhash/v2"

	"pagoda/internal/puzzle"
)

// Sample is a full-sized block that resembles one of the middle layers of the English board: about a third of the
// addresses occupied, class totals log-normal around 2^27, nearly all of them multiples of the orbit size 8. The
// occupied addresses are random, which is harder to code than the truth.
func Sample(rows int, seed uint64) *puzzle.Block {
	rng := rand.New(rand.NewPCG(seed, 1))
	b := &puzzle.Block{Addresses: puzzle.BlockAddresses, Occupied: make([]uint64, puzzle.BlockAddresses/64)}
	var col []uint64
	for i := range b.Addresses {
		left := b.Addresses - i
		if rng.IntN(left) >= rows-len(col) {
			continue
		}
		b.Occupied[i/64] |= 1 << (i % 64)
		v := uint64(math.Exp2(27+3.5*rng.NormFloat64()))/8 + 1
		if v *= 8; rng.IntN(200) == 0 {
			v += 4
		}
		col = append(col, v)
	}
	b.Columns = [][]uint64{col}
	return b
}

// WithChecksum appends the checksum of a body as a coded block has it.
func WithChecksum(body []byte) []byte {
	return binary.LittleEndian.AppendUint64(body[:len(body):len(body)], xxhash.Sum64(body))
}

// WithChecksumBig appends it in big endian, as records have it.
func WithChecksumBig(body []byte) []byte {
	return binary.BigEndian.AppendUint64(body[:len(body):len(body)], xxhash.Sum64(body))
}
