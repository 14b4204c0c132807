// Package army is Conway's soldiers: peg solitaire on the square lattice without end, where pegs stand below a line and
// one of them has to come as far above it as it can.
//
// Pegs start at places (x, y) with y <= 0; a peg has reached level n when it is at (0, n). [Least] finds the least
// number of pegs for a level, with a game and the proof that fewer do not do. Level 5 and those above cannot be
// reached: [CheckImpossible] verifies the proof.
//
// The weight of a place is s^d, where d is its distance |x| + |y-n| from the target and s = (sqrt 5 - 1)/2. It is a
// pagoda function: no jump raises the weight of the pegs (Conway; Berlekamp, Conway and Guy, Winning Ways, chapter 23).
// The package is pure; all weights are exact numbers of Z[s].
package army

import (
	"context"
	"errors"
	"fmt"
)

// ErrLevel is wrapped when a level is not a positive number.
var ErrLevel = errors.New("bad level")

// A Point is a place: column and height above the line; places with Y <= 0 are below it.
type Point struct {
	X int `json:"x"`
	Y int `json:"y"`
}

// A Jump takes the peg at From to To, two places away, and removes the peg between.
type Jump struct {
	From Point `json:"from"`
	To   Point `json:"to"`
}

// A Bound is the proof that so many pegs are too few.
type Bound struct {
	Pegs int `json:"pegs"`
	// Weight is the largest weight that Pegs places below the line have together.
	Weight Golden `json:"weight"`
	// Searched is 0 when the weight is less than 1, the target's, and proves it. Otherwise all games were played
	// backwards from the target, as far as the weight and the bounds of lower levels allow: so many positions.
	Searched int `json:"searched,omitempty"`
}

// A Result is the least army that reaches a level. Its JSON form is a contract.
type Result struct {
	Level int `json:"level"`
	// Reachable is false from level 5 on; then the other fields are empty.
	Reachable bool `json:"reachable"`
	// Pegs is the least number of pegs.
	Pegs int `json:"pegs"`
	// Army is where they stand, and Jumps the game.
	Army  []Point `json:"army"`
	Jumps []Jump  `json:"jumps"`
	// Bounds prove for each smaller number that it does not do.
	Bounds []Bound `json:"bounds"`
}

// Impossible is the lowest level that cannot be reached.
const Impossible = 5

// Least returns the least army for a level. The error wraps [ErrLevel], or is that of the context.
func Least(ctx context.Context, level int) (*Result, error) {
	if level < 1 {
		return nil, fmt.Errorf("%w %d: want 1 or more", ErrLevel, level)
	}
	if level >= Impossible {
		return &Result{Level: level}, CheckImpossible()
	}
	// The least pegs for a peg at each height: one on or below the line, and the least armies of the levels below.
	need := []int{1}
	for n := 1; ; n++ {
		r, err := least(ctx, n, need)
		if err != nil || n == level {
			return r, err
		}
		need = append(need, r.Pegs)
	}
}

func least(ctx context.Context, level int, need []int) (*Result, error) {
	r := &Result{Level: level, Reachable: true}
	for k := 1; ; k++ {
		most := Heaviest(level, k)
		if most.Minus(Golden{1, 0}).Sign() < 0 {
			r.Bounds = append(r.Bounds, Bound{Pegs: k, Weight: most})
			continue
		}
		s := &backwards{ctx: ctx, level: level, pegs: k, most: most, need: need, seen: map[position]bool{}}
		s.least = Golden{1, 0}.Minus(Heaviest(level, k-1))
		target := Point{0, level}
		found, err := s.search(position{}.with(target), 1, Golden{1, 0})
		switch {
		case err != nil:
			return nil, err
		case found:
			r.Pegs, r.Army = k, s.army.points()
			r.Jumps = s.jumps
			return r, nil
		case s.truncated:
			return nil, fmt.Errorf("level %d: the search for an army of %d pegs left its window", level, k)
		}
		r.Bounds = append(r.Bounds, Bound{Pegs: k, Weight: most, Searched: len(s.seen)})
	}
}

// Heaviest returns the largest weight of k places below the line: the nearest to the target, of which 2i+1 are level+i
// steps away.
func Heaviest(level, k int) Golden {
	var sum Golden
	for i := 0; k > 0; i++ {
		for range min(k, 2*i+1) {
			sum = sum.Plus(Power(level + i))
		}
		k -= min(k, 2*i+1)
	}
	return sum
}

// CheckImpossible verifies, in exact arithmetic, that no army of finitely many pegs reaches level 5.
//
// First, the weights are a pagoda function. Along a jump one coordinate of the distance from the target changes: the
// three places are at d+2, d+1, d steps, or at d, d+1, d+2, or (past the target's row or column) at d+1, d, d+1.
// Divided by s^d, the weight must not rise: s^2 + s >= 1, 1 + s >= s^2, s + 1 >= s.
//
// Second, all places below the line weigh as much as the target, 1, so that finitely many weigh less. The weight T of
// the half-plane is the sum of s^(5+i+|x|) over i >= 0 and all x. With the geometric series, T (1-s)^2 = s^5 (1+s), and
// so T = 1 when that is (1-s)^2.
//
// A level above 5 is passed through level 5 or lies farther, with a smaller half-plane: T = s^(n-5).
func CheckImpossible() error {
	one, s := Golden{1, 0}, Golden{0, 1}
	for i, d := range []Golden{
		s.Times(s).Plus(s).Minus(one),
		one.Plus(s).Minus(s.Times(s)),
		s.Plus(one).Minus(s),
	} {
		if d.Sign() < 0 {
			return fmt.Errorf("the golden weights are no pagoda function: jumps of kind %d raise them", i+1)
		}
	}
	square := one.Minus(s).Times(one.Minus(s))
	if square != Power(Impossible).Times(one.Plus(s)) {
		return fmt.Errorf("the half-plane below level %d does not weigh 1", Impossible)
	}
	return nil
}
