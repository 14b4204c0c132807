package chance

import (
	"math/big"
	"strings"

	"pagoda/internal/puzzle/uint128"
)

// An Interval is sure to contain a chance. Its ends are in units of 10^-38.
type Interval struct{ Least, Most uint128.Uint128 }

// around returns the interval of a chance that was computed as v, at most lost too small and at most gained too large.
// No row of a run vanishes, so a chance that was computed as 0 is 0.
func around(v, lost, gained uint128.Uint128) (i Interval) {
	if v.IsZero() {
		return i
	}
	var ok bool
	if i.Least, ok = v.Sub(gained); !ok {
		i.Least = uint128.Uint128{}
	}
	if i.Most, ok = v.Add(lost); !ok || i.Most.Cmp(one) > 0 {
		i.Most = one
	}
	return i
}

// Of returns the least interval around a fraction from 0 to 1.
func Of(x *big.Rat) Interval {
	units, rest := new(big.Int).QuoRem(new(big.Int).Mul(x.Num(), one.Big()), x.Denom(), new(big.Int))
	least, _ := uint128.Parse(units.String()) // at most one
	most := least
	if rest.Sign() > 0 {
		most, _ = most.Add(uint128.From(1))
	}
	return Interval{least, most}
}

// Ends returns the ends of the interval as decimals with all places.
func (i Interval) Ends() (least, most string) { return decimal(i.Least), decimal(i.Most) }

func decimal(units uint128.Uint128) string {
	digits := units.String()
	digits = strings.Repeat("0", max(0, places+1-len(digits))) + digits
	whole, rest := digits[:len(digits)-places], strings.TrimRight(digits[len(digits)-places:], "0")
	if rest == "" {
		return whole
	}
	return whole + "." + rest
}

// mostDigits is how many digits of a chance String gives.
const mostDigits = 10

// String returns the chance in decimals: ten significant digits, or as many as both ends of the interval have in common
// when they are rounded. Where they have none it is both ends.
func (i Interval) String() string {
	least, most := i.Ends()
	if i.Least == i.Most && (i.Least.IsZero() || i.Least == one) {
		return least
	}
	for digits := mostDigits; digits > 0; digits-- {
		if s := rounded(i.Least, digits); s == rounded(i.Most, digits) {
			return s
		}
	}
	return least + " to " + most
}

// rounded rounds a chance to so many significant digits. Zeros at the end stay.
func rounded(units uint128.Uint128, digits int) string {
	text := units.String()
	scale := len(text) - digits // digits that are rounded away
	if scale > 0 {
		ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
		n := new(big.Int).Add(units.Big(), new(big.Int).Rsh(ten, 1))
		text = n.Quo(n, ten).String()
		if len(text) > digits { // 99.9 becomes 100
			text, scale = text[:digits], scale+1
		}
	} else {
		scale = 0
	}
	point := places - scale // digits behind the point
	text = strings.Repeat("0", max(0, point+1-len(text))) + text
	return text[:len(text)-point] + "." + text[len(text)-point:]
}

// OneIn returns N where the chance is about 1 in N, rounded to an integer, and "" where it is 0 or its ends give
// different numbers.
func (i Interval) OneIn() string {
	if i.Least.IsZero() {
		return ""
	}
	in := func(n uint128.Uint128) string {
		twice := new(big.Int).Lsh(one.Big(), 1)
		twice.Add(twice, n.Big())
		return twice.Quo(twice, new(big.Int).Lsh(n.Big(), 1)).String()
	}
	if n := in(i.Least); n == in(i.Most) {
		return n
	}
	return ""
}
