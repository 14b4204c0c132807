package babylone

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// mostRenamed bounds the colours that are permuted to find out which positions with inner bricks are the same.
const mostRenamed = 5

// A view says which positions of a game are told apart.
type view struct {
	inner       bool // by the bricks inside the piles, too
	upToColours bool // not by the names of the colours
}

// start is the first position of a game.
func (v view) start(bricks []int) words { return v.of(wordsOf(start(bricks))) }

// of is the one that stands for all positions that are the same in the view.
func (v view) of(w words) words {
	switch {
	case !v.upToColours:
		return w
	case v.inner:
		return w.renamed()
	}
	p := w.visible().canonical()
	for i := range p {
		p[i].Colour = letters[strings.IndexByte(names, p[i].Colour)]
	}
	p.sort()
	return wordsOf(p)
}

// after lists the positions after one move, each once.
func (v view) after(w words) []words {
	var list []words
	if v.inner {
		list = w.after()
	} else {
		_, all := w.visible().moves()
		for _, p := range all {
			list = append(list, wordsOf(p))
		}
	}
	var after []words
	for _, next := range list {
		next = v.of(next)
		if !slices.ContainsFunc(after, func(q words) bool { return slices.Equal(q, next) }) {
			after = append(after, next)
		}
	}
	return after
}

// id is a name of the position that no other of the view has.
func (v view) id(w words) string {
	if v.inner {
		return strings.Join(w, ",")
	}
	return w.visible().String()
}

// label is a short name of the position.
func (v view) label(w words) string {
	if v.inner {
		return strings.Join(w, " ")
	}
	return w.visible().join("")
}

// levels searches the positions of a game by playing every move: those of each level, and how many of them have no
// move. The error wraps ErrLarge when there are more than most.
func (v view) levels(ctx context.Context, bricks []int, most int) (positions, terminal []int, err error) {
	front := []words{v.start(bricks)}
	for found := 0; len(front) > 0; {
		var next []words
		seen, ends := map[string]bool{}, 0
		for _, w := range front {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			if found++; found > most {
				return nil, nil, fmt.Errorf("%w: %s has more than %d positions", ErrLarge, gameName(bricks), most)
			}
			after := v.after(w)
			if len(after) == 0 {
				ends++
			}
			for _, q := range after {
				if id := v.id(q); !seen[id] {
					seen[id] = true
					next = append(next, q)
				}
			}
		}
		positions, terminal = append(positions, len(front)), append(terminal, ends)
		front = next
	}
	return positions, terminal, nil
}
