package puzzle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pagoda/internal/puzzle/uint128"
)

// A Tally is the exact scalars that a computed window reports. Tallies merge over windows: sums add, maxima take the
// larger. All slices are sorted by name or cell and hold no name twice; that is the canonical form, and the form in
// which tallies are compared.
type Tally struct {
	Sums   []Scalar `json:"sums,omitempty"`
	Maxima []Scalar `json:"maxima,omitempty"`
	// In and Out are flows, by the other end of the edge: Out[c] goes from this window to its child cell c, and In[c]
	// comes from its parent cell c. Both are counted on this side. For every edge that is computed on both sides the
	// pipeline demands that they agree.
	In  []Flow `json:"in,omitempty"`
	Out []Flow `json:"out,omitempty"`
}

// A Scalar is a named exact number. Names are of up to 128 printable ASCII characters other than space, / \ " < > and
// &: stores and messages refuse others.
type Scalar struct {
	Name  string          `json:"name"`
	Value uint128.Uint128 `json:"value"`
}

// ValidName reports whether s can be the name of a scalar.
func ValidName(s string) bool {
	ok := len(s) > 0 && len(s) <= 128
	for i := range len(s) {
		c := s[i]
		ok = ok && c > ' ' && c < 0x7f && !strings.ContainsRune(`/\"<>&`, rune(c))
	}
	return ok
}

// A Flow is an amount that crosses the edge to or from Cell.
type Flow struct {
	Cell
	Amount uint128.Uint128 `json:"amount"`
}

// Totals returns the tally without its flows.
func (t *Tally) Totals() Tally { return Tally{Sums: t.Sums, Maxima: t.Maxima} }

// Sum returns the named sum, 0 when it is absent.
func (t *Tally) Sum(name string) uint128.Uint128 { return find(t.Sums, name) }

// Max returns the named maximum, 0 when it is absent.
func (t *Tally) Max(name string) uint128.Uint128 { return find(t.Maxima, name) }

// AddSum adds v to the named sum.
func (t *Tally) AddSum(name string, v uint128.Uint128) error {
	return add(&t.Sums, Scalar{name, v}, scalarOrder, addScalar)
}

// AddMax raises the named maximum to v.
func (t *Tally) AddMax(name string, v uint128.Uint128) error {
	return add(&t.Maxima, Scalar{name, v}, scalarOrder, maxScalar)
}

// AddIn adds to the flow taken from parent c.
func (t *Tally) AddIn(c Cell, v uint128.Uint128) error {
	return add(&t.In, Flow{c, v}, flowOrder, addFlow)
}

// AddOut adds to the flow passed to child c.
func (t *Tally) AddOut(c Cell, v uint128.Uint128) error {
	return add(&t.Out, Flow{c, v}, flowOrder, addFlow)
}

// Merge adds o to t. It returns an error that wraps ErrOverflow when a sum leaves 128 bits.
func (t *Tally) Merge(o *Tally) error {
	for _, s := range o.Sums {
		if err := t.AddSum(s.Name, s.Value); err != nil {
			return err
		}
	}
	for _, s := range o.Maxima {
		if err := t.AddMax(s.Name, s.Value); err != nil {
			return err
		}
	}
	for _, f := range o.In {
		if err := t.AddIn(f.Cell, f.Amount); err != nil {
			return err
		}
	}
	for _, f := range o.Out {
		if err := t.AddOut(f.Cell, f.Amount); err != nil {
			return err
		}
	}
	return nil
}

// Canonical reports whether t is in canonical form: sorted, no name twice. Decoders demand it.
func (t *Tally) Canonical() bool {
	strictS := func(s []Scalar) bool {
		for i := 1; i < len(s); i++ {
			if scalarOrder(s[i-1], s[i]) >= 0 {
				return false
			}
		}
		return true
	}
	strictF := func(s []Flow) bool {
		for i := 1; i < len(s); i++ {
			if flowOrder(s[i-1], s[i]) >= 0 {
				return false
			}
		}
		return true
	}
	return strictS(t.Sums) && strictS(t.Maxima) && strictF(t.In) && strictF(t.Out)
}

func find(s []Scalar, name string) uint128.Uint128 {
	if i, ok := slices.BinarySearchFunc(s, Scalar{Name: name}, scalarOrder); ok {
		return s[i].Value
	}
	return uint128.Uint128{}
}

func scalarOrder(a, b Scalar) int { return cmp.Compare(a.Name, b.Name) }

func flowOrder(a, b Flow) int {
	return cmp.Or(cmp.Compare(a.Layer, b.Layer), cmp.Compare(a.Key, b.Key))
}

func addScalar(a, b Scalar) (Scalar, error) {
	v, ok := a.Value.Add(b.Value)
	if !ok {
		return a, fmt.Errorf("sum of %s: %w", a.Name, ErrOverflow)
	}
	return Scalar{a.Name, v}, nil
}

func maxScalar(a, b Scalar) (Scalar, error) {
	if a.Value.Cmp(b.Value) < 0 {
		return b, nil
	}
	return a, nil
}

func addFlow(a, b Flow) (Flow, error) {
	v, ok := a.Amount.Add(b.Amount)
	if !ok {
		return a, fmt.Errorf("flow with cell %d/%s: %w", a.Layer, a.Key, ErrOverflow)
	}
	return Flow{a.Cell, v}, nil
}

// add puts v into the sorted slice s, joining it with an equal entry.
func add[T any](s *[]T, v T, order func(a, b T) int, join func(a, b T) (T, error)) error {
	i, ok := slices.BinarySearchFunc(*s, v, order)
	if !ok {
		*s = slices.Insert(*s, i, v)
		return nil
	}
	j, err := join((*s)[i], v)
	if err == nil {
		(*s)[i] = j
	}
	return err
}
