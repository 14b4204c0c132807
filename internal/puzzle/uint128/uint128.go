// Package uint128 is exact unsigned 128-bit arithmetic for path counts.
//
// Counts of paths pass 2^64 long before a board of interest is exhausted (the English board does so at jump 23), and a
// count that wraps is worse than none: every operation that can leave the range says so instead of wrapping.
package uint128

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
)

// Uint128 is an unsigned 128-bit integer, value Hi*2^64 + Lo. The zero value is 0.
type Uint128 struct{ Lo, Hi uint64 }

// ErrRange is returned when a text or a big integer does not fit in 128 bits or is not a decimal number.
var ErrRange = errors.New("not an unsigned decimal number of at most 128 bits")

// From returns v as a Uint128.
func From(v uint64) Uint128 { return Uint128{Lo: v} }

// IsZero reports whether u is 0.
func (u Uint128) IsZero() bool { return u.Lo|u.Hi == 0 }

// Cmp compares u and v: -1 if u < v, 0 if equal, +1 if u > v.
func (u Uint128) Cmp(v Uint128) int {
	switch {
	case u == v:
		return 0
	case u.Hi < v.Hi || u.Hi == v.Hi && u.Lo < v.Lo:
		return -1
	}
	return 1
}

// Add returns u+v; ok is false when the sum does not fit.
func (u Uint128) Add(v Uint128) (sum Uint128, ok bool) {
	lo, c := bits.Add64(u.Lo, v.Lo, 0)
	hi, c := bits.Add64(u.Hi, v.Hi, c)
	return Uint128{lo, hi}, c == 0
}

// Sub returns u-v; ok is false when v > u.
func (u Uint128) Sub(v Uint128) (diff Uint128, ok bool) {
	lo, b := bits.Sub64(u.Lo, v.Lo, 0)
	hi, b := bits.Sub64(u.Hi, v.Hi, b)
	return Uint128{lo, hi}, b == 0
}

// Mul64 returns u*v; ok is false when the product does not fit.
func (u Uint128) Mul64(v uint64) (prod Uint128, ok bool) {
	h, lo := bits.Mul64(u.Lo, v)
	o, m := bits.Mul64(u.Hi, v)
	hi, c := bits.Add64(h, m, 0)
	return Uint128{lo, hi}, o == 0 && c == 0
}

// QuoRem64 returns the quotient and remainder of u/v. It panics when v is 0.
func (u Uint128) QuoRem64(v uint64) (quo Uint128, rem uint64) {
	quo.Hi, rem = bits.Div64(0, u.Hi, v)
	quo.Lo, rem = bits.Div64(rem, u.Lo, v)
	return quo, rem
}

// Mul returns the 128-bit product of two 64-bit numbers; it always fits.
func Mul(a, b uint64) Uint128 {
	hi, lo := bits.Mul64(a, b)
	return Uint128{lo, hi}
}

// Big returns u as a big integer.
func (u Uint128) Big() *big.Int {
	b := new(big.Int).SetUint64(u.Hi)
	return b.Lsh(b, 64).Or(b, new(big.Int).SetUint64(u.Lo))
}

// String is the decimal form of u, without leading zeros.
func (u Uint128) String() string { return string(u.AppendText10(nil)) }

// AppendText10 appends the decimal form of u to b.
func (u Uint128) AppendText10(b []byte) []byte {
	var buf [40]byte
	i := len(buf)
	for {
		const chunk = 1e19 // the largest power of ten below 2^64
		q, r := u.QuoRem64(chunk)
		last := q.IsZero()
		for n := 0; n < 19 && (!last || r > 0 || n == 0); n++ {
			i--
			buf[i] = byte('0' + r%10)
			r /= 10
		}
		if last {
			return append(b, buf[i:]...)
		}
		u = q
	}
}

// Parse reads a decimal number without sign or separators. It returns ErrRange when s is anything else or too large.
func Parse(s string) (Uint128, error) {
	var u Uint128
	if s == "" {
		return u, fmt.Errorf("%q: %w", s, ErrRange)
	}
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return Uint128{}, fmt.Errorf("%q: %w", s, ErrRange)
		}
		p, ok := u.Mul64(10)
		q, ok2 := p.Add(From(uint64(c - '0')))
		if !ok || !ok2 {
			return Uint128{}, fmt.Errorf("%q: %w", s, ErrRange)
		}
		u = q
	}
	return u, nil
}

// MarshalText writes the decimal form, so that JSON carries counts as strings and nothing rounds them.
func (u Uint128) MarshalText() ([]byte, error) { return u.AppendText10(nil), nil }

// UnmarshalText reads the decimal form; see Parse.
func (u *Uint128) UnmarshalText(b []byte) error {
	v, err := Parse(string(b))
	if err == nil {
		*u = v
	}
	return err
}
