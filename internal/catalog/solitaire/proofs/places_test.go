package proofs_test

import (
	"math/big"
	"slices"
	"strconv"
	"testing"

	"pagoda/internal/catalog/solitaire/proofs"
)

// TestEachPlace changes every place of the right certificates, one at a time and together with every hole of the start
// or the goal. Proofs of weights and combinations are accepted exactly when a second, simple evaluation accepts them;
// whatever is accepted of a game or of its absence must be true of all games.
func TestEachPlace(t *testing.T) {
	for name, c := range right {
		accepted, refused := 0, 0
		try := func(x *proofs.Certificate) {
			err := x.Check()
			if holds(x) {
				accepted++
			} else {
				refused++
			}
			switch {
			case !holds(x) && err == nil:
				t.Fatalf("%s: a wrong proof is accepted: %+v", name, x)
			case holds(x) && err != nil && evaluated(x):
				t.Fatalf("%s: a right proof is refused: %v: %+v", name, err, x)
			}
		}
		holes := len(c().Start)
		for i := range places(c()) {
			for hole := -1; hole < 2*holes; hole++ {
				x := c()
				places(x)[i]()
				toggle(x, hole)
				try(x)
			}
		}
		for bits := uint(0); !evaluated(c()) && bits < 1<<(2*holes); bits += 1 + bits%3 { // about half of all problems
			x := c()
			for hole := range 2 * holes {
				if bits>>hole&1 != 0 {
					toggle(x, hole)
				}
			}
			try(x)
		}
		if refused == 0 {
			t.Errorf("%s: of %d changes none is wrong", name, accepted)
		}
	}
}

// toggle changes a hole of the start, or of the goal; -1 is none.
func toggle(c *proofs.Certificate, hole int) {
	at, n := &c.Start, len(c.Start)
	if hole >= n {
		at, hole = &c.Goal, hole-n
	}
	if hole >= 0 {
		b := []byte(*at)
		b[hole] ^= 'o' ^ '.'
		*at = string(b)
	}
}

// places are changes of a proof, each in one place; the first changes nothing.
func places(c *proofs.Certificate) (list []func()) {
	add := func(change func()) { list = append(list, change) }
	add(func() {})
	p := &c.Proof
	weights := func(w []int64) {
		for i := range w {
			add(func() { w[i]++ })
			add(func() { w[i]-- })
		}
	}
	weights(p.Weights)
	for _, w := range p.Pruning {
		weights(w)
	}
	var tree func(n *proofs.Node)
	tree = func(n *proofs.Node) {
		if n == nil {
			return
		}
		weights(n.Weights)
		if n.Jump != "" {
			add(func() { n.AtMost++ })
		}
		tree(n.Less)
		tree(n.More)
	}
	tree(p.Tree)
	for i := range p.Multipliers {
		m := &p.Multipliers[i]
		for _, d := range []int64{1, -1} {
			add(func() {
				x, _ := new(big.Rat).SetString(m.Times)
				m.Times = x.Add(x, big.NewRat(d, 1)).RatString()
			})
		}
		add(func() { p.Multipliers = slices.Delete(p.Multipliers, i, i+1) })
	}
	for i := range p.Cells {
		for n := range len(p.Cells) {
			add(func() { p.Cells[i] = n })
		}
	}
	for _, text := range []*string{&p.Class, &p.Corners, &p.Empty} {
		for i := range *text {
			add(func() {
				b := []byte(*text)
				b[i] ^= 'o' ^ '.'
				*text = string(b)
			})
		}
	}
	for i := range c.Bounds {
		b := &c.Bounds[i]
		for _, j := range lineJumps(len(c.Start)) {
			add(func() { b.Jump = j.text })
		}
		if b.AtMost != nil {
			add(func() { *b.AtMost++ })
		} else {
			add(func() { b.AtLeast-- })
		}
	}
	for i := range p.Jumps {
		for _, j := range lineJumps(len(c.Start)) {
			add(func() { p.Jumps[i] = j.text })
		}
		add(func() { p.Jumps = slices.Delete(p.Jumps, i, i+1) })
	}
	if p.Kind == proofs.Modular {
		add(func() { p.Modulus++ })
	}
	if p.Kind == proofs.Search {
		add(func() { p.Positions++ })
		add(func() { p.Forward-- })
	}
	if p.Kind == proofs.LastExit {
		add(func() { p.Reversed = !p.Reversed })
	}
	return list
}

// A lineJump is a jump on a row of holes.
type lineJump struct {
	from, over, to int
	text           string
}

func lineJumps(n int) (list []lineJump) {
	name := func(h int) string { return strconv.Itoa(h+1) + "1" }
	for i := range max(0, n-2) {
		list = append(list, lineJump{i, i + 1, i + 2, name(i) + "x" + name(i+2)},
			lineJump{i + 2, i + 1, i, name(i+2) + "x" + name(i)})
	}
	return list
}

// evaluated reports whether holds evaluates the whole proof. A proof that holds must then be accepted.
func evaluated(c *proofs.Certificate) bool {
	return slices.Contains([]proofs.Kind{
		proofs.Modular, proofs.Pagoda, proofs.Combination, proofs.Game, proofs.Tree,
	}, c.Proof.Kind)
}

// holds evaluates a proof on a row of holes; of other kinds it says whether the claim is true.
func holds(c *proofs.Certificate) bool {
	n := len(c.Start)
	jumps := lineJumps(n)
	gain := make([]int64, n) // goal less start
	for i := range n {
		if c.Goal[i] == 'o' {
			gain[i]++
		}
		if c.Start[i] == 'o' {
			gain[i]--
		}
	}
	dot := func(w []int64) (sum int64) {
		for i, v := range gain {
			sum += v * w[i]
		}
		return sum
	}
	rise := func(w []int64, j lineJump) int64 { return w[j.to] - w[j.from] - w[j.over] }
	p := &c.Proof
	switch p.Kind {
	case proofs.Modular:
		return p.Modulus > 1 && dot(p.Weights)%p.Modulus != 0 &&
			!slices.ContainsFunc(jumps, func(j lineJump) bool { return rise(p.Weights, j)%p.Modulus != 0 })
	case proofs.Pagoda:
		return dot(p.Weights) > 0 &&
			!slices.ContainsFunc(jumps, func(j lineJump) bool { return rise(p.Weights, j) > 0 })
	case proofs.Combination:
		return combines(c, jumps, gain)
	case proofs.Game:
		at := []byte(c.Start)
		for _, text := range p.Jumps {
			j := jumps[slices.IndexFunc(jumps, func(j lineJump) bool { return j.text == text })]
			if at[j.from] != 'o' || at[j.over] != 'o' || at[j.to] == 'o' {
				return false
			}
			at[j.from], at[j.over], at[j.to] = '.', '.', 'o'
		}
		return string(at) == c.Goal
	case proofs.Tree:
		least, most := make([]int64, len(jumps)), make([]int64, len(jumps))
		for i := range most {
			most[i] = 1 << 40
		}
		for _, b := range c.Bounds {
			i := slices.IndexFunc(jumps, func(j lineJump) bool { return j.text == b.Jump })
			if least[i] = max(least[i], b.AtLeast); b.AtMost != nil {
				most[i] = min(most[i], *b.AtMost)
			}
		}
		return excludes(p.Tree, jumps, least, most, dot, rise)
	case proofs.Search:
		if right := right["search"](); p.Positions != right.Proof.Positions && c.Start == right.Start &&
			c.Goal == right.Goal {
			return false
		}
	}
	return !leads(c.Start, c.Goal, jumps)
}

// combines reports whether the multipliers are of the kind that the claim demands, and sum to the gain.
func combines(c *proofs.Certificate, jumps []lineJump, gain []int64) bool {
	sum := make([]big.Rat, len(gain))
	for _, m := range c.Proof.Multipliers {
		x, _ := new(big.Rat).SetString(m.Times)
		if c.Claim != proofs.InCone && !x.IsInt() || c.Claim != proofs.InLattice && x.Sign() < 0 {
			return false
		}
		j := jumps[slices.IndexFunc(jumps, func(j lineJump) bool { return j.text == m.Jump })]
		sum[j.from].Sub(&sum[j.from], x)
		sum[j.over].Sub(&sum[j.over], x)
		sum[j.to].Add(&sum[j.to], x)
	}
	for i, want := range gain {
		if sum[i].Cmp(big.NewRat(want, 1)) != 0 {
			return false
		}
	}
	return true
}

// excludes reports whether every leaf of a tree excludes all counts of jumps within its bounds.
func excludes(
	n *proofs.Node, jumps []lineJump, least, most []int64, dot func([]int64) int64,
	rise func([]int64, lineJump) int64,
) bool {
	if n.Jump != "" {
		i := slices.IndexFunc(jumps, func(j lineJump) bool { return j.text == n.Jump })
		less, more := slices.Clone(most), slices.Clone(least)
		less[i], more[i] = min(less[i], n.AtMost), max(more[i], n.AtMost+1)
		return excludes(n.Less, jumps, least, less, dot, rise) && excludes(n.More, jumps, more, most, dot, rise)
	}
	var sum int64
	for i, j := range jumps {
		if least[i] > most[i] {
			return true
		}
		if r := rise(n.Weights, j); r > 0 {
			sum += r * most[i]
		} else {
			sum += r * least[i]
		}
	}
	return dot(n.Weights) > sum
}

// leads reports whether a game leads from the start to the goal.
func leads(start, goal string, jumps []lineJump) bool {
	if start == goal {
		return true
	}
	for _, j := range jumps {
		if start[j.from] == 'o' && start[j.over] == 'o' && start[j.to] != 'o' {
			at := []byte(start)
			at[j.from], at[j.over], at[j.to] = '.', '.', 'o'
			if leads(string(at), goal, jumps) {
				return true
			}
		}
	}
	return false
}
