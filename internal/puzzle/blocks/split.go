package blocks

import (
	"encoding/binary"
	"math/bits"
)

// A packing is a stream of bits that is written, lowest first.
type packing struct {
	bits uint64 // the last ones, which are not a whole byte between values
	have uint64 // how many they are, below 8 between values
	at   uint64 // bytes before them
}

// bytes is how many bytes the stream takes.
func (k *packing) bytes() int { return int(k.at + (k.have+7)>>3) }

// put appends the lowest n bits of x, at most wideExtra; the others are 0. Eight bytes of out are written.
func (k *packing) put(out []byte, x uint64, n uint) {
	k.bits |= x << (k.have & 63)
	k.have += uint64(n)
	binary.LittleEndian.PutUint64(out[k.at:], k.bits)
	k.at += k.have >> 3
	k.bits >>= k.have & 56
	k.have &= 7
}

// splitNarrow writes the symbols of v and packs the remaining bits, at most wideExtra a value, into out; it returns the
// number of bytes used. The length of out is 8 bytes for each value, and 8 more.
func splitNarrow(symbols, out []byte, v []uint64, p scale) int {
	var k packing
	n := 0
	if splits {
		n = len(v) &^ 7
		splitEights(symbols, out, v[:n], p, &k)
	}
	k.split(symbols[n:], out, v[n:], p)
	return k.bytes()
}

// split is symbolOf(spinValue(x)) for each value, spelled out for speed.
func (k *packing) split(symbols, out []byte, v []uint64, p scale) {
	acc, have, at := k.bits, uint(k.have), int(k.at)
	symbols = symbols[:len(v)]
	shift, drop, rest := p.shift&63, (p.shift+p.spin)&63, (p.width-p.spin)&63
	spun := uint64(1)<<(p.spin&63) - 1
	head, mantissa := int(p.mantissa)+1, p.mantissa&63
	for i, x := range v {
		y := x >> drop
		if r := x >> shift & spun; r != 0 {
			y |= r << rest
		}
		e := bits.Len64(y) - head
		e &^= e >> 63
		symbols[i] = byte(uint(e)<<mantissa + uint(y>>(e&63)))
		acc |= y & (1<<(e&63) - 1) << (have & 63)
		have += uint(e)
		binary.LittleEndian.PutUint64(out[at:], acc)
		at += int(have >> 3)
		acc >>= have & 56
		have &= 7
	}
	*k = packing{acc, uint64(have), uint64(at)}
}

// splitWide is splitNarrow for any number of remaining bits.
func splitWide(symbols, out []byte, v []uint64, p scale) int {
	var k packing
	for i, x := range v {
		x = p.spinValue(x)
		sym, e := symbolOf(x, p.mantissa)
		symbols[i] = byte(sym)
		x &= 1<<e - 1
		n := min(e, 32)
		k.put(out, x&(1<<n-1), n)
		k.put(out, x>>n, e-n)
	}
	return k.bytes()
}
