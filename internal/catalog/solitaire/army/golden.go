package army

// Golden is the number A + B s of Z[s], where s = (sqrt 5 - 1)/2 = 0.618... is the inverse of the golden section, so
// that s^2 = 1 - s. All arithmetic is exact.
type Golden struct {
	A int64 `json:"a"`
	B int64 `json:"b"`
}

// Plus returns g + h.
func (g Golden) Plus(h Golden) Golden { return Golden{g.A + h.A, g.B + h.B} }

// Minus returns g - h.
func (g Golden) Minus(h Golden) Golden { return Golden{g.A - h.A, g.B - h.B} }

// Times returns g h.
func (g Golden) Times(h Golden) Golden {
	return Golden{g.A*h.A + g.B*h.B, g.A*h.B + g.B*h.A - g.B*h.B}
}

// Sign is -1, 0 or 1; A and B must be below 2^30 in size.
func (g Golden) Sign() int {
	// 2(A + B s) = u + v sqrt 5 with u = 2A - B, v = B; where the signs differ, the squares decide.
	u, v := 2*g.A-g.B, g.B
	switch {
	case u == 0 && v == 0:
		return 0
	case u >= 0 && v >= 0:
		return 1
	case u <= 0 && v <= 0:
		return -1
	case u > 0:
		return sign(u*u - 5*v*v)
	}
	return sign(5*v*v - u*u)
}

func sign(n int64) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

// Power returns s^n, for 0 <= n <= 48: s^n = (-1)^n (F(n-1) - F(n) s) with the numbers of Fibonacci.
func Power(n int) Golden {
	p := Golden{1, 0}
	for range n {
		p = p.Times(Golden{0, 1})
	}
	return p
}
