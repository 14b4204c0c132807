package baseball

import "math/bits"

// A field is a set of ranks in [first, first+size): bit i of the words, least significant first, is rank first+i.
type field struct {
	first, size uint64
	words       []uint64 // with one word to spare, so that 64 bits can be read from any rank
}

func newField(first, size uint64) *field {
	return &field{first, size, make([]uint64, (size+63)/64+1)}
}

func (f *field) end() uint64 { return f.first + f.size }

func (f *field) set(rank uint64) { f.words[(rank-f.first)/64] |= 1 << ((rank - f.first) % 64) }

func (f *field) count() (n uint64) {
	for _, w := range f.words {
		n += uint64(bits.OnesCount64(w))
	}
	return n
}

// load returns the bits of ranks first+i to first+i+63.
func (f *field) load(i uint64) uint64 {
	w, s := f.words[i/64:], i%64
	return w[0]>>s | w[1]<<1<<(63-s)
}

// next returns the first rank of f from one on and before another; ok is false when there is none.
func (f *field) next(rank, end uint64) (next uint64, ok bool) {
	for at := rank - f.first; at < end-f.first; at = (at/64 + 1) * 64 {
		if v := f.words[at/64] >> (at % 64); v != 0 {
			next = f.first + at + uint64(bits.TrailingZeros64(v))
			return next, next < end
		}
	}
	return 0, false
}

// or adds to f, from rank to on, the n ranks of src from rank from on.
func (f *field) or(to uint64, src *field, from, n uint64) {
	i, k := to-f.first, from-src.first
	for {
		v := src.load(k)
		if n < 64 {
			v &= 1<<n - 1
		}
		if v != 0 {
			w, s := f.words[i/64:], i%64
			w[0] |= v << s
			w[1] |= v >> 1 >> (63 - s)
		}
		if n <= 64 {
			return
		}
		i, k, n = i+64, k+64, n-64
	}
}

// drop takes the configurations of src from f; src covers all of f's ranks.
func (f *field) drop(src *field) {
	k := f.first - src.first
	for i := range f.words[:len(f.words)-1] {
		if f.words[i] != 0 {
			f.words[i] &^= src.load(k + 64*uint64(i))
		}
	}
}

// each passes the ranks of f among n from rank on to fn, in order.
func (f *field) each(rank, n uint64, fn func(rank uint64)) {
	for at := rank - f.first; n > 0; {
		v, step := f.load(at), min(n, 64)
		if step < 64 {
			v &= 1<<step - 1
		}
		for ; v != 0; v &= v - 1 {
			fn(f.first + at + uint64(bits.TrailingZeros64(v)))
		}
		at, n = at+step, n-step
	}
}
