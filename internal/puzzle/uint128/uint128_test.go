package uint128

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

var limit = new(big.Int).Lsh(big.NewInt(1), 128)

func gen() *rapid.Generator[Uint128] {
	return rapid.Custom(func(t *rapid.T) Uint128 {
		return Uint128{rapid.Uint64().Draw(t, "lo"), rapid.OneOf(rapid.Just(uint64(0)), rapid.Uint64()).Draw(t, "hi")}
	})
}

// check compares an operation that can leave the range with big integers.
func check(t *rapid.T, name string, got Uint128, ok bool, want *big.Int) {
	fits := want.Sign() >= 0 && want.Cmp(limit) < 0
	if ok != fits || ok && got.Big().Cmp(want) != 0 {
		t.Fatalf("%s = %v, %v; want %v", name, got, ok, want)
	}
}

func TestArithmeticAgainstBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, v, m := gen().Draw(t, "u"), gen().Draw(t, "v"), rapid.Uint64().Draw(t, "m")
		s, ok := u.Add(v)
		check(t, "add", s, ok, new(big.Int).Add(u.Big(), v.Big()))
		s, ok = u.Sub(v)
		check(t, "sub", s, ok, new(big.Int).Sub(u.Big(), v.Big()))
		s, ok = u.Mul64(m)
		check(t, "mul64", s, ok, new(big.Int).Mul(u.Big(), From(m).Big()))
		check(t, "mul", Mul(u.Lo, m), true, new(big.Int).Mul(From(u.Lo).Big(), From(m).Big()))
		if m > 0 {
			q, r := u.QuoRem64(m)
			bq, br := new(big.Int).QuoRem(u.Big(), From(m).Big(), new(big.Int))
			if q.Big().Cmp(bq) != 0 || br.Uint64() != r {
				t.Fatalf("%v / %d = %v rem %d", u, m, q, r)
			}
		}
		if u.Cmp(v) != u.Big().Cmp(v.Big()) {
			t.Fatalf("cmp %v %v = %d", u, v, u.Cmp(v))
		}
	})
}

func TestTextAgainstBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := gen().Draw(t, "u")
		if u.String() != u.Big().String() {
			t.Fatalf("%s, want %s", u, u.Big())
		}
		if v, err := Parse(u.String()); err != nil || v != u {
			t.Fatalf("parse %s = %v, %v", u, v, err)
		}
	})
	for _, s := range []string{"", "-1", "+1", " 1", "1.0", "0x1", "340282366920938463463374607431768211456"} {
		if v, err := Parse(s); err == nil {
			t.Errorf("Parse(%q) = %v, want an error", s, v)
		}
	}
	top := "340282366920938463463374607431768211455"
	if v, err := Parse(top); err != nil || v.String() != top {
		t.Errorf("2^128-1: %v, %v", v, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("577116156815309849672")
	f.Fuzz(func(t *testing.T, s string) {
		u, err := Parse(s)
		if err != nil {
			return
		}
		b, ok := new(big.Int).SetString(s, 10)
		if !ok || b.Cmp(u.Big()) != 0 {
			t.Fatalf("Parse(%q) = %v, want %v", s, u, b)
		}
	})
}
