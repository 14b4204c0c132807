package partition

// A Spread moves the bits of a word to other places, a byte at a time: at most eight look-ups.
type Spread [][256]uint64

// newSpread returns the Spread that moves bit i to bit to[i].
func newSpread(to []uint8) Spread {
	s := make(Spread, (len(to)+7)/8)
	for i := range s {
		for x := range 256 {
			for b := range 8 {
				if x>>b&1 != 0 && 8*i+b < len(to) {
					s[i][x] |= 1 << to[8*i+b]
				}
			}
		}
	}
	return s
}

// Apply moves the bits of x.
func (s Spread) Apply(x uint64) uint64 {
	var y uint64
	for i := range s {
		y |= s[i][x&255]
		x >>= 8
	}
	return y
}
