package tiles

import (
	"errors"
	"math/big"
	"math/bits"
	"testing"

	"pgregory.net/rapid"
)

// extensions counts linear extensions by trying all orders.
func extensions(before []uint64, done uint64) int64 {
	if bits.OnesCount64(done) == len(before) {
		return 1
	}
	n := int64(0)
	for c, b := range before {
		if done>>c&1 == 0 && b&^done == 0 {
			n += extensions(before, done|1<<c)
		}
	}
	return n
}

func TestOrderAgainstAllOrders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "cells")
		o := &partialOrder{before: make([]uint64, n)}
		for c := range n {
			for d := range c {
				if rapid.IntRange(0, 2).Draw(t, "pair") == 0 {
					o.before[c] |= 1<<d | o.before[d]
				}
			}
		}
		want := extensions(o.before, 0)
		if got, err := o.count(0, nil); err != nil || got.Cmp(big.NewInt(want)) != 0 {
			t.Fatalf("%v: %v orders (%v), want %d", o.before, got, err, want)
		}
		closure := make([]uint64, n)
		for _, p := range o.covers() { // in the order of the later cell, whose earlier ones are smaller here
			closure[p[1]] |= 1<<p[0] | closure[p[0]]
		}
		var done uint64
		for _, c := range o.first() {
			if o.before[c]&^done != 0 || closure[c] != o.before[c] {
				t.Fatalf("%v: first order %v, covers %v", o.before, o.first(), o.covers())
			}
			done |= 1 << c
		}
	})
}

// TestOrderOfManyCells counts three chains of twelve cells, and adds up to 64!, far past 128 bits.
func TestOrderOfManyCells(t *testing.T) {
	o := &partialOrder{before: make([]uint64, 36)}
	for c := range o.before {
		for d := c % 3; d < c; d += 3 {
			o.before[c] |= 1 << d
		}
	}
	want := new(big.Int).MulRange(13, 36) // 36!/12!^3
	for range 2 {
		want.Quo(want, new(big.Int).MulRange(1, 12))
	}
	if got, err := o.count(0, nil); err != nil || got.Cmp(want) != 0 {
		t.Errorf("three chains of twelve have %v orders (%v), want %v", got, err, want)
	}
	w := wide{1}
	all := big.NewInt(1)
	for n := int64(1); n <= 64; n++ { // 64! by repeated addition, through all words
		sum := wide{}
		for range n {
			sum.add(&w)
		}
		w = sum
		all.Mul(all, big.NewInt(n))
	}
	if w.big().Cmp(all) != 0 {
		t.Errorf("64! is %v, want %v", w.big(), all)
	}
	free := &partialOrder{before: make([]uint64, 20)}
	if _, err := free.count(1000, nil); !errors.Is(err, ErrTooManyIdeals) {
		t.Errorf("twenty free cells within 1000 ideals: %v", err)
	}
}
