// Package sample has tests that notice some changes and not others.
package sample

import "errors"

var errNegative = errors.New("negative")

// Half returns half of an even number.
func Half(n int) (int, error) {
	if n < 0 {
		return 0, errNegative
	}
	return n / 2, nil
}

// Sum returns the sum of all numbers.
func Sum(numbers []int) int {
	sum := 0
	for _, n := range numbers {
		sum += n
	}
	return sum
}

// Wait returns when more is false.
func Wait(more bool) {
	for more {
	}
}

// Same returns n.
func Same(n int) int {
	return n * 1
}
