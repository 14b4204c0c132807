package army_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/catalog/solitaire/army"
)

// TestLeast: 2, 4, 8 and 20 pegs, with games that are played here, and bounds that leave nothing out.
func TestLeast(t *testing.T) {
	for level, want := range map[int]int{1: 2, 2: 4, 3: 8, 4: 20} {
		r, err := army.Least(context.Background(), level)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Reachable || r.Pegs != want || len(r.Army) != want || len(r.Jumps) != want-1 {
			t.Errorf("level %d: %d pegs, want %d", level, r.Pegs, want)
		}
		play(t, r)
		if len(r.Bounds) != want-1 {
			t.Errorf("level %d: %d bounds", level, len(r.Bounds))
		}
		for i, b := range r.Bounds {
			if b.Pegs != i+1 {
				t.Errorf("level %d: bound %d is for %d pegs", level, i, b.Pegs)
			}
			// The largest weight again, in floating point: the places are sorted by distance.
			s, sum, left := (math.Sqrt(5)-1)/2, 0.0, b.Pegs
			for d := level; left > 0; d++ {
				n := min(left, 2*(d-level)+1)
				sum, left = sum+float64(n)*math.Pow(s, float64(d)), left-n
			}
			if got := float64(b.Weight.A) + float64(b.Weight.B)*s; math.Abs(got-sum) > 1e-9 {
				t.Errorf("level %d, %d pegs: weight %v, want %v", level, b.Pegs, got, sum)
			}
			if (b.Searched == 0) != (b.Weight.Minus(army.Golden{A: 1}).Sign() < 0) {
				t.Errorf("level %d, %d pegs: %+v proves nothing", level, b.Pegs, b)
			}
		}
	}
}

// play plays the game of r.
func play(t *testing.T, r *army.Result) {
	t.Helper()
	pegs := map[army.Point]bool{}
	for _, p := range r.Army {
		if p.Y > 0 {
			t.Errorf("level %d: a peg starts at %v", r.Level, p)
		}
		pegs[p] = true
	}
	for i, j := range r.Jumps {
		dx, dy := j.To.X-j.From.X, j.To.Y-j.From.Y
		over := army.Point{X: j.From.X + dx/2, Y: j.From.Y + dy/2}
		if dx*dx+dy*dy != 4 || dx*dy != 0 || !pegs[j.From] || !pegs[over] || pegs[j.To] {
			t.Fatalf("level %d: jump %d, %v, cannot be played", r.Level, i+1, j)
		}
		delete(pegs, j.From)
		delete(pegs, over)
		pegs[j.To] = true
	}
	if len(pegs) != 1 || !pegs[army.Point{Y: r.Level}] {
		t.Errorf("level %d: the game ends with %v", r.Level, pegs)
	}
}

// TestNineteenForward settles level 4 a second way, forwards. Nineteen pegs weigh at most 1, as much as the target. So
// they would stand on the 16 nearest places and three of the nine that are 8 steps away. Every jump would have to keep
// the weight: to go straight towards the target's row or column. No such game ends with one peg.
func TestNineteenForward(t *testing.T) {
	const level, width = 4, 9 // columns -4..4, heights 4..-4: bit (4-y)*width + x+4
	bit := func(x, y int) int { return (level-y)*width + x + 4 }
	type board [2]uint64
	has := func(b board, i int) bool { return b[i/64]>>(i%64)&1 != 0 }
	flip := func(b *board, i int) { b[i/64] ^= 1 << (i % 64) }
	abs := func(n int) int { return max(n, -n) }
	type jump struct{ from, over, to int }
	var jumps []jump
	var base board
	var far []int
	for y := -4; y <= level; y++ {
		for x := -4; x <= 4; x++ {
			if d := abs(x) + level - y; y <= 0 && d < 8 {
				flip(&base, bit(x, y))
			} else if y <= 0 && d == 8 {
				far = append(far, bit(x, y))
			}
			if y+2 <= level {
				jumps = append(jumps, jump{bit(x, y), bit(x, y+1), bit(x, y+2)})
			}
			if x >= 2 {
				jumps = append(jumps, jump{bit(x, y), bit(x-1, y), bit(x-2, y)})
			}
			if x <= -2 {
				jumps = append(jumps, jump{bit(x, y), bit(x+1, y), bit(x+2, y)})
			}
		}
	}
	if len(far) != 9 {
		t.Fatalf("%d places are 8 steps away, want 9", len(far))
	}
	target, positions := bit(0, level), 0
	for a := range far {
		for b := range a {
			for c := range b {
				start := base
				flip(&start, far[a])
				flip(&start, far[b])
				flip(&start, far[c])
				layer := map[board]bool{start: true}
				for len(layer) > 0 {
					next := map[board]bool{}
					for q := range layer {
						if has(q, target) {
							t.Fatalf("a game with 19 pegs reaches the target")
						}
						for _, j := range jumps {
							if has(q, j.from) && has(q, j.over) && !has(q, j.to) {
								r := q
								flip(&r, j.from)
								flip(&r, j.over)
								flip(&r, j.to)
								next[r] = true
							}
						}
					}
					positions += len(layer)
					layer = next
				}
			}
		}
	}
	t.Logf("%d positions", positions)
}

func TestImpossible(t *testing.T) {
	if err := army.CheckImpossible(); err != nil {
		t.Fatal(err)
	}
	for _, level := range []int{5, 6, 100} {
		if r, err := army.Least(context.Background(), level); err != nil || r.Reachable || r.Pegs != 0 {
			t.Errorf("level %d: %+v, %v", level, r, err)
		}
	}
	// The part of the half-plane within n steps weighs less than 1, ever closer to it.
	one := army.Golden{A: 1}
	sum := army.Golden{}
	for d := 5; d < 40; d++ {
		for range 2*(d-5) + 1 {
			sum = sum.Plus(army.Power(d))
		}
		if sum.Minus(one).Sign() >= 0 {
			t.Fatalf("the places within %d steps weigh 1 or more", d)
		}
	}
	if got := float64(sum.A) + float64(sum.B)*(math.Sqrt(5)-1)/2; got < 0.999 {
		t.Errorf("the places within 39 steps weigh %v", got)
	}
}

func TestLevelErrors(t *testing.T) {
	for _, level := range []int{0, -1} {
		if _, err := army.Least(context.Background(), level); !errors.Is(err, army.ErrLevel) {
			t.Errorf("level %d: %v", level, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := army.Least(ctx, 4); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
}

// TestJSON pins the field that is a contract.
func TestJSON(t *testing.T) {
	r, err := army.Least(context.Background(), 3)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(data), `"pegs":8`) {
		t.Errorf("got %s, %v", data, err)
	}
}

// TestGolden compares the exact arithmetic with floating point, where that is sure of the sign.
func TestGolden(t *testing.T) {
	s := (math.Sqrt(5) - 1) / 2
	value := func(g army.Golden) float64 { return float64(g.A) + float64(g.B)*s }
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Custom(func(t *rapid.T) army.Golden {
			return army.Golden{A: rapid.Int64Range(-9999, 9999).Draw(t, "a"), B: rapid.Int64Range(-9999, 9999).Draw(t, "b")}
		})
		g, h := number.Draw(t, "g"), number.Draw(t, "h")
		for name, pair := range map[string][2]float64{
			"sum":        {value(g.Plus(h)), value(g) + value(h)},
			"difference": {value(g.Minus(h)), value(g) - value(h)},
			"product":    {value(g.Times(h)), value(g) * value(h)},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-3 {
				t.Fatalf("%s of %v and %v: %v, want %v", name, g, h, pair[0], pair[1])
			}
		}
		if v := value(g); math.Abs(v) > 1e-6 && float64(g.Sign()) != math.Copysign(1, v) {
			t.Fatalf("%v has sign %d", g, g.Sign())
		}
	})
	if got := (army.Golden{}).Sign(); got != 0 {
		t.Errorf("0 has sign %d", got)
	}
	// Consecutive powers are as close to 0 as such numbers get.
	for n := range 40 {
		if p := army.Power(n); p.Sign() != 1 || p.Minus(army.Power(n+1)).Sign() != 1 {
			t.Errorf("s^%d = %v", n, p)
		}
	}
}
