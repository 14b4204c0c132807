package mousetrap

import "slices"

// slowGame plays a deck as the rules say it, with cards in a queue: a card that is not hit goes to the end. It shares
// no code with the package.
func slowGame(deck []int, modular bool) (removed, left []int) {
	n := slices.Max(deck)
	queue := slices.Clone(deck)
	said, missed := 0, 0
	for len(queue) > 0 {
		if modular && missed == n*len(queue) || !modular && said == n {
			break
		}
		said++
		number := said
		if modular {
			number = (said-1)%n + 1
		}
		top := queue[0]
		queue = queue[1:]
		if top == number {
			removed = append(removed, top)
			said, missed = 0, 0
			continue
		}
		missed++
		queue = append(queue, top)
	}
	// The cards left, from the one at which counting last began.
	if len(queue) > 0 {
		turn := len(queue) - said%len(queue)
		queue = append(slices.Clone(queue[turn%len(queue):]), queue[:turn%len(queue)]...)
	}
	return removed, queue
}

// slowReform counts how often a deck can be reformed; -1 is for ever.
func slowReform(deck []int, modular bool) int {
	var met [][]int
	for {
		for _, d := range met {
			if slices.Equal(d, deck) {
				return -1
			}
		}
		met = append(met, deck)
		removed, left := slowGame(deck, modular)
		if len(left) > 0 {
			return len(met) - 1
		}
		deck = removed
	}
}

// permutations calls fn for every order of 1..n.
func permutations(n int, fn func(deck []int)) {
	var extend func(deck []int)
	extend = func(deck []int) {
		if len(deck) == n {
			fn(deck)
			return
		}
		for v := 1; v <= n; v++ {
			if !slices.Contains(deck, v) {
				extend(append(slices.Clone(deck), v))
			}
		}
	}
	extend(nil)
}
