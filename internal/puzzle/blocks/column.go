package blocks

import (
	"encoding/binary"
	"math/bits"

	"github.com/klauspost/compress/huff0"
)

// A column is coded in one of three ways. Path counts spread over many orders of magnitude: coding saves bytes on their
// magnitude, not on their low digits. So a value is split into a symbol, its magnitude with the first mantissa bits
// behind the leading one, and its remaining bits. Symbols get a Huffman code, remaining bits are packed as they are. On
// counts of the English board the size is that of coding each of the eight byte planes by itself, within 2 % of the
// entropy of the single values. It touches a third of the bytes. Predicting the symbol from the row before would save
// another 1 %, and is not worth a second model.
//
//	columnConstant   value, 8 bytes
//	columnRaw        rows x 8 bytes
//	columnScaled     shift, spin, width, mantissa (1 byte each),
//	                 the plane of symbols (see plane.go),
//	                 length of the remaining bits in bytes (4 bytes), the remaining bits, lowest first
//
// shift: every value is divided by 2^shift exactly. spin: most values are divisible by another 2^spin, but not all
// (class totals are multiples of the orbit size, which is smaller for symmetric positions): after the shift, values
// are rotated right by spin within width bits, which leaves multiples small and makes the rare others wide.
const (
	columnConstant byte = iota
	columnRaw
	columnScaled
)

const (
	maxSpin     = 3 // orbits have at most 12 = 4 x 3 members
	minMantissa = 2 // with which the symbols of 64-bit values number 252
	maxMantissa = 7 // with which every value below 256 is its own symbol
	scaledHead  = 4
	wideExtra   = 56 // remaining bits that one unaligned 64-bit word holds at any bit offset
)

// coder is the working memory of encoding and decoding; one user at a time.
type coder struct {
	huff    huff0.Scratch
	symbols []byte
	table   [256]symbol
	bytes   []byte
}

// symbol describes a symbol to a decoder: the value with its remaining bits zero, and the number of these bits.
type symbol struct {
	value uint64
	mask  uint64
	extra uint64
}

// scale is the parameters of columnScaled.
type scale struct{ shift, spin, width, mantissa uint }

// narrow says that a value's remaining bits fit an unaligned word.
func (p scale) narrow() bool { return p.width <= wideExtra+p.mantissa+1 }

func (p scale) spinValue(v uint64) uint64 {
	x := v >> (p.shift & 63)
	y := x >> (p.spin & 63)
	if r := x & (1<<(p.spin&63) - 1); r != 0 {
		y |= r << ((p.width - p.spin) & 63)
	}
	return y
}

// unspin is the inverse of spinValue.
func (p scale) unspin(x uint64) uint64 {
	if high := x >> ((p.width - p.spin) & 63); high != 0 && p.spin != 0 {
		low := uint64(1)<<((p.width-p.spin)&63) - 1
		return (x&low<<(p.spin&63) | high) << (p.shift & 63)
	}
	return x << (p.spin & 63) << (p.shift & 63)
}

// symbolOf splits x: its symbol and the number of remaining bits. A value below 2^(mantissa+1) is its own symbol.
func symbolOf(x uint64, mantissa uint) (sym uint64, extra uint) {
	e := bits.Len64(x) - int(mantissa) - 1
	e &^= e >> 63
	return uint64(e)<<(mantissa&63) + x>>(uint(e)&63), uint(e)
}

// chooseScale fixes the parameters for a column that is neither empty nor constant; or is the union of its values.
func chooseScale(v []uint64, or uint64) scale {
	p := scale{shift: uint(bits.TrailingZeros64(or)), mantissa: minMantissa}
	p.width = uint(bits.Len64(or >> p.shift))
	if p.width > maxSpin {
		p.spin = chooseSpin(v, p)
	}
	// The finest mantissa whose symbols fit a byte, and whose table a column of this length can afford.
	for m := p.mantissa + 1; m <= maxMantissa && len(v) >= 64<<m; m++ {
		if top, _ := symbolOf(^uint64(0)>>(64-p.width), m); top > 255 {
			break
		}
		p.mantissa = m
	}
	return p
}

// chooseSpin estimates the saving of each spin from a sample: its bits on every multiple, less the others' growth.
func chooseSpin(v []uint64, p scale) uint {
	step := max(1, len(v)/512)
	var multiples [maxSpin + 1]int
	length, n := 0, 0
	for i := 0; i < len(v); i += step {
		x := v[i] >> p.shift
		length += bits.Len64(x)
		n++
		for s := 1; s <= maxSpin && x&(1<<s-1) == 0; s++ {
			multiples[s]++
		}
	}
	best, gain := 0, n/8 // the rare wide values cost the symbols a little too
	for s := 1; s <= maxSpin; s++ {
		others := n - multiples[s]
		if g := s*multiples[s] - others*(int(p.width)-length/n); g > gain {
			best, gain = s, g
		}
	}
	return uint(best)
}

// unionAndIntersection of the bits of v.
func unionAndIntersection(v []uint64) (or, and uint64) {
	or, and = v[0], v[0]
	for len(v) >= 4 {
		or |= v[0] | v[1] | v[2] | v[3]
		and &= v[0] & v[1] & v[2] & v[3]
		v = v[4:]
	}
	for _, x := range v {
		or |= x
		and &= x
	}
	return or, and
}

// encodeColumn appends v, which is not empty.
func (c *coder) encodeColumn(dst []byte, v []uint64) []byte {
	or, and := unionAndIntersection(v)
	if or == and {
		return binary.LittleEndian.AppendUint64(append(dst, columnConstant), or)
	}
	start := len(dst)
	p := chooseScale(v, or)
	dst = append(dst, columnScaled, byte(p.shift), byte(p.spin), byte(p.width), byte(p.mantissa))
	c.symbols = grow(c.symbols, len(v))
	c.bytes = grow(c.bytes, 8*len(v)+16)
	var n int
	if p.narrow() {
		n = splitNarrow(c.symbols, c.bytes, v, p)
	} else {
		n = splitWide(c.symbols, c.bytes, v, p)
	}
	dst = encodePlane(dst, c.symbols, &c.huff)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
	dst = append(dst, c.bytes[:n]...)
	if len(dst)-start > 8*len(v) {
		return appendWords(append(dst[:start], columnRaw), v)
	}
	return dst
}

// decodeColumn fills v, which is not empty, from src, and returns the rest. At least eight readable bytes must follow
// the column in src; they belong to whatever comes next.
func (c *coder) decodeColumn(v []uint64, src []byte) ([]byte, error) {
	if len(src) < 9 {
		return nil, errMalformed
	}
	kind, src := src[0], src[1:]
	switch {
	case kind == columnConstant:
		x := binary.LittleEndian.Uint64(src)
		for i := range v {
			v[i] = x
		}
		return src[8:], nil
	case kind == columnRaw && len(src) >= 8*len(v):
		readWords(v, src)
		return src[8*len(v):], nil
	case kind != columnScaled:
		return nil, errMalformed
	}
	p := scale{shift: uint(src[0]), spin: uint(src[1]), width: uint(src[2]), mantissa: uint(src[3])}
	if p.width < 1 || p.shift+p.width > 64 || p.spin > p.width || p.spin > maxSpin || p.mantissa > maxMantissa {
		return nil, errMalformed
	}
	c.symbols = grow(c.symbols, len(v))
	src, err := decodePlane(c.symbols, src[scaledHead:], &c.huff)
	if err != nil || len(src) < 4+8 {
		return nil, errMalformed
	}
	n := uint64(binary.LittleEndian.Uint32(src))
	src = src[4:]
	c.fillTable(p)
	total := uint64(0)
	for _, s := range c.symbols {
		total += c.table[s].extra
	}
	// An impossible symbol counts so many bits that no length matches.
	if (total+7)/8 != n || n > uint64(len(src))-8 {
		return nil, errMalformed
	}
	if p.narrow() {
		c.joinNarrow(v, src, p)
	} else {
		c.joinWide(v, src, p)
	}
	return src[n:], nil
}

// fillTable prepares the table for decoding; a symbol that no value of the width has gets an absurd number of bits.
func (c *coder) fillTable(p scale) {
	for i := range c.table {
		sym := uint64(i)
		var s symbol
		if e := sym >> p.mantissa; e <= 1 {
			s.value = sym
		} else if e--; uint(e)+p.mantissa+1 <= p.width {
			s.extra = e
			s.mask = 1<<e - 1
			s.value = (sym&(1<<p.mantissa-1) | 1<<p.mantissa) << e
		} else {
			s.extra = 1 << 40
		}
		c.table[i] = s
	}
}

// joinNarrow puts symbols and remaining bits together again. It is unspin, spelled out for speed.
func (c *coder) joinNarrow(v []uint64, src []byte, p scale) {
	symbols, table := c.symbols[:len(v)], &c.table
	at := uint64(0)
	raise := (p.shift + p.spin) & 63
	limit := ^uint64(0) // values above it have spun bits
	if p.spin > 0 {
		limit = 1<<((p.width-p.spin)&63) - 1
	}
	for i := range v {
		s := &table[symbols[i]]
		w := binary.LittleEndian.Uint64(src[at>>3:]) >> (at & 7)
		at += s.extra
		x := s.value + w&s.mask
		if x <= limit {
			v[i] = x << raise
		} else {
			v[i] = p.unspin(x)
		}
	}
}

// joinWide is joinNarrow for any number of remaining bits.
func (c *coder) joinWide(v []uint64, src []byte, p scale) {
	at := uint64(0)
	for i, sym := range c.symbols {
		s := &c.table[sym]
		w := binary.LittleEndian.Uint64(src[at>>3:]) >> (at & 7) & (1<<32 - 1)
		if s.extra > 32 {
			high := at + 32
			w |= binary.LittleEndian.Uint64(src[high>>3:]) >> (high & 7) << 32
		}
		v[i] = p.unspin(s.value + w&s.mask)
		at += s.extra
	}
}

func grow(b []byte, n int) []byte {
	if cap(b) < n {
		b = make([]byte, n, max(n, 2*cap(b))) // the next block may be a little larger
	}
	return b[:n]
}
