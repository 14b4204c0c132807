// Package reference enumerates peg solitaire the obvious way: one map from position to number of paths for each
// layer, every jump tried on every position, no symmetry, no windows, no tables, big integers for counts.
//
// It is the oracle of the tests of the real kernels. So it stays simple enough to be seen to be right, and shares
// nothing with them but the list of jumps. It is slow and takes some hundred bytes for each position.
package reference

import (
	"math/big"

	"pagoda/internal/peg"
)

// A Layer is all positions after the same number of jumps.
type Layer struct {
	// Jumps is the number of jumps from the start, Pegs the number of pegs of each position.
	Jumps, Pegs int
	// Paths is, for each position that can be reached, the number of jump sequences from the start to it.
	Paths map[peg.Position]*big.Int
	// Dead is the positions on which no jump is legal.
	Dead []peg.Position
}

// Play returns the layers from start on: layer 0 is the start alone, and the last layer is the last one with a
// position, or the one after most jumps. A negative most is no limit.
func Play(b *peg.Board, start peg.Position, most int) []Layer {
	layer := Layer{Pegs: start.Pegs(), Paths: map[peg.Position]*big.Int{start: big.NewInt(1)}}
	var layers []Layer
	for len(layer.Paths) > 0 {
		next := Layer{Jumps: layer.Jumps + 1, Pegs: layer.Pegs - 1, Paths: map[peg.Position]*big.Int{}}
		for p, paths := range layer.Paths {
			dead := true
			for _, j := range b.Jumps {
				if !p.Has(int(j.From)) || !p.Has(int(j.Over)) || p.Has(int(j.To)) {
					continue
				}
				dead = false
				q := p&^(1<<j.From)&^(1<<j.Over) | 1<<j.To
				if next.Paths[q] == nil {
					next.Paths[q] = new(big.Int)
				}
				next.Paths[q].Add(next.Paths[q], paths)
			}
			if dead {
				layer.Dead = append(layer.Dead, p)
			}
		}
		layers = append(layers, layer)
		if layer.Jumps == most {
			break
		}
		layer = next
	}
	return layers
}

// Total returns the number of paths to all positions of the layer.
func (l Layer) Total() *big.Int {
	sum := new(big.Int)
	for _, paths := range l.Paths {
		sum.Add(sum, paths)
	}
	return sum
}

// GamesEnded returns the number of paths that end in a dead position of the layer.
func (l Layer) GamesEnded() *big.Int {
	sum := new(big.Int)
	for _, p := range l.Dead {
		sum.Add(sum, l.Paths[p])
	}
	return sum
}

// Classes returns, for each symmetry class under group that has a position in the layer, the sum of the paths to its
// positions, by the smallest position of the class. A group that does not fix the start gives classes of which not all
// positions need be in the layer.
func (l Layer) Classes(group []peg.Perm) map[peg.Position]*big.Int {
	classes := map[peg.Position]*big.Int{}
	for p, paths := range l.Paths {
		least := p
		for _, g := range group {
			least = min(least, g.Apply(p))
		}
		if classes[least] == nil {
			classes[least] = new(big.Int)
		}
		classes[least].Add(classes[least], paths)
	}
	return classes
}

// Games returns the number of maximal jump sequences: those that end in a dead position, in any layer.
func Games(layers []Layer) *big.Int {
	sum := new(big.Int)
	for _, l := range layers {
		sum.Add(sum, l.GamesEnded())
	}
	return sum
}

// Positions returns the number of positions of all layers.
func Positions(layers []Layer) int {
	n := 0
	for _, l := range layers {
		n += len(l.Paths)
	}
	return n
}

// Solutions returns the number of jump sequences from the start to goal, 0 when it is not in the layers.
func Solutions(layers []Layer, goal peg.Position) *big.Int {
	for _, l := range layers {
		if paths := l.Paths[goal]; paths != nil {
			return new(big.Int).Set(paths)
		}
	}
	return new(big.Int)
}

// Winnable returns, for each layer, the positions from which goal can be reached: backwards from the goal, one jump
// at a time.
func Winnable(b *peg.Board, layers []Layer, goal peg.Position) []map[peg.Position]bool {
	win := make([]map[peg.Position]bool, len(layers))
	for i := len(layers) - 1; i >= 0; i-- {
		win[i] = map[peg.Position]bool{}
		for p := range layers[i].Paths {
			if p == goal {
				win[i][p] = true
			}
			for _, j := range b.Jumps {
				if i+1 < len(layers) && j.Legal(p) && win[i+1][j.Play(p)] {
					win[i][p] = true
				}
			}
		}
	}
	return win
}

// Ways returns, for each layer, the number of jump sequences to goal from each position from which there is one.
func Ways(b *peg.Board, layers []Layer, goal peg.Position) []map[peg.Position]*big.Int {
	ways := make([]map[peg.Position]*big.Int, len(layers))
	for i := len(layers) - 1; i >= 0; i-- {
		ways[i] = map[peg.Position]*big.Int{}
		for p := range layers[i].Paths {
			sum := new(big.Int)
			if p == goal {
				sum.SetInt64(1)
			}
			for _, j := range b.Jumps {
				if i+1 < len(layers) && j.Legal(p) && ways[i+1][j.Play(p)] != nil {
					sum.Add(sum, ways[i+1][j.Play(p)])
				}
			}
			if sum.Sign() > 0 {
				ways[i][p] = sum
			}
		}
	}
	return ways
}
