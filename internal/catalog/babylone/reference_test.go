package babylone

import (
	"slices"
	"strings"
)

// A simulation plays a game in every way, with piles as words: the top colour first, below it the colours of the bricks
// or, when hidden, question marks.
type simulation struct {
	hidden bool
	levels []map[string]bool // positions: sorted words, separated by blanks
}

func simulate(bricks []int, hidden bool) *simulation {
	var words []string
	for c, n := range bricks {
		words = append(words, slices.Repeat([]string{string(rune('A' + c))}, n)...)
	}
	s := &simulation{hidden: hidden}
	for front := map[string]bool{strings.Join(words, " "): true}; len(front) > 0; {
		s.levels = append(s.levels, front)
		next := map[string]bool{}
		for p := range front {
			for q := range s.after(p) {
				next[q] = true
			}
		}
		front = next
	}
	return s
}

// after plays every move.
func (s *simulation) after(position string) map[string]bool {
	words, out := strings.Fields(position), map[string]bool{}
	for i, upper := range words {
		for j, lower := range words {
			if i == j || len(upper) != len(lower) && upper[0] != lower[0] {
				continue
			}
			pile := upper + lower
			if s.hidden {
				pile = upper + strings.Repeat("?", len(lower))
			}
			next := []string{pile}
			for k, w := range words {
				if k != i && k != j {
					next = append(next, w)
				}
			}
			slices.Sort(next)
			out[strings.Join(next, " ")] = true
		}
	}
	return out
}

// nimbers finds the nimber of every position from those of the level after it.
func (s *simulation) nimbers() map[string]int {
	nimbers := map[string]int{}
	for l := len(s.levels) - 1; l >= 0; l-- {
		for p := range s.levels[l] {
			seen := map[int]bool{}
			for q := range s.after(p) {
				seen[nimbers[q]] = true
			}
			n := 0
			for seen[n] {
				n++
			}
			nimbers[p] = n
		}
	}
	return nimbers
}

// renamed is the first of the position's images under all permutations of so many colours.
func renamed(position string, colours int) string {
	first := position
	permute(colours, func(to []byte) {
		image := []byte(position)
		for i, c := range image {
			if c >= 'A' && c <= 'Z' {
				image[i] = to[c-'A']
			}
		}
		words := strings.Fields(string(image))
		slices.Sort(words)
		first = min(first, strings.Join(words, " "))
	})
	return first
}

func permute(n int, fn func(letters []byte)) {
	list := make([]byte, 0, n)
	var add func()
	add = func() {
		if len(list) == n {
			fn(list)
			return
		}
		for c := range byte(n) {
			if letter := 'A' + c; !slices.Contains(list, letter) {
				list = append(list, letter)
				add()
				list = list[:len(list)-1]
			}
		}
	}
	add()
}

// allSplits lists the splits of n bricks among at most so many colours, in descending order.
func allSplits(n, colours int) (list [][]int) {
	var add func(left, most int, sofar []int)
	add = func(left, most int, sofar []int) {
		if left == 0 {
			list = append(list, slices.Clone(sofar))
			return
		}
		for b := min(left, most); b > 0 && len(sofar) < colours; b-- {
			add(left-b, b, append(sofar, b))
		}
	}
	add(n, n, nil)
	return list
}
