package puzzle

import (
	"math/big"
	"strconv"

	"pagoda/internal/puzzle/uint128"
)

// Kind says how a column is to be read and written.
type Kind int

const (
	// Number is a small integer that every reader takes exactly: a row index, a peg count, an orbit size.
	Number Kind = iota
	// Count is an exact integer of up to 128 bits; it travels as a decimal string.
	Count
	// Text is a name, a position, a drawing.
	Text
	// Double is the double nearest to a number that another column has exactly; see [Nearest].
	Double
)

// Worded reports whether a value of this kind is in Value.S.
func (k Kind) Worded() bool { return k == Text || k == Double }

// Plain is a value of this kind as a text without quotes.
func (k Kind) Plain(v Value) string {
	if k.Worded() {
		return v.S
	}
	return v.N.String()
}

// A Column of a table for people.
type Column struct {
	Name string // snake_case
	Kind Kind
	Doc  string // one sentence, with the unit
	// Bits, of a Count, is how long its values are at most, whatever the run; 0: up to 128 bits. Of formats with types
	// the column has a narrower one, the same in every file.
	Bits int
	// Total names the fact of the same summary that a column of Counts adds up to, or whose entries it has, in order;
	// "": none. See [Summary.Agree].
	Total string
}

// Enumerated is Column.Bits of counts that a program makes by counting one by one: no program counts to 2^63.
const Enumerated = 63

// A Value is one field of a table: N for Number and Count, S for Text and Double. Shown, when not "", is what people
// read in place of S, which is for files and documents.
type Value struct {
	N        uint128.Uint128
	S, Shown string
}

// Nearest is the double nearest to x, in the shortest decimal form that reads as it.
func Nearest(x *big.Rat) Value {
	f, _ := x.Float64()
	return Value{S: strconv.FormatFloat(f, 'g', -1, 64)}
}

// A Table has one row per layer, or per whatever its first column says.
type Table struct {
	Name    string // "layers", ...
	Columns []Column
	Rows    [][]Value
}

// A Fact is one result of a run: a scalar, or when one of the others is not nil an array, a small map of scalars, or an
// object of facts, each in order. Kind is that of the scalars.
type Fact struct {
	Column
	Value  Value
	List   []Value
	Map    []MapEntry
	Fields []Fact
}

// Scalar reports whether the fact is its Value.
func (f *Fact) Scalar() bool { return f.List == nil && f.Map == nil && f.Fields == nil }

// A MapEntry is one entry of a Fact that is a map, such as a histogram.
type MapEntry struct {
	Key   string
	Value uint128.Uint128
}

// A Summary is the readable result of a run: the problem, facts in the order of the JSON document, tables, and notes
// (such as the criterion that proves that a problem has no solution). A fact that was not asked for is absent.
type Summary struct {
	// Problem is the subject of the facts. For a run, and for an answer about one, package runs fills it in.
	Problem Problem
	Facts   []Fact
	Tables  []Table
	Notes   []string
}

// AddText appends a fact that is a name, a position or a drawing.
func (s *Summary) AddText(name, value, doc string) {
	s.Facts = append(s.Facts, Fact{Column: Column{Name: name, Kind: Text, Doc: doc}, Value: Value{S: value}})
}

// AddCount appends a fact that is an exact number.
func (s *Summary) AddCount(name string, value uint128.Uint128, doc string) {
	s.Facts = append(s.Facts, Fact{Column: Column{Name: name, Kind: Count, Doc: doc}, Value: Value{N: value}})
}

// AddNumber appends a fact that is a small integer: a JSON number, not a string.
func (s *Summary) AddNumber(name string, value uint64, doc string) {
	s.Facts = append(s.Facts,
		Fact{Column: Column{Name: name, Kind: Number, Doc: doc}, Value: Value{N: uint128.From(value)}})
}

// AddCounts appends a fact that is an array of exact numbers.
func (s *Summary) AddCounts(name string, values []uint128.Uint128, doc string) {
	list := make([]Value, len(values))
	for i, v := range values {
		list[i].N = v
	}
	s.Facts = append(s.Facts, Fact{Column: Column{Name: name, Kind: Count, Doc: doc}, List: list})
}

// Scalars passes every scalar of the facts to each, in order: the entries of lists, maps and objects are named
// FACT/ENTRY.
func Scalars(facts []Fact, each func(name string, kind Kind, v Value)) {
	scalars("", facts, each)
}

func scalars(prefix string, facts []Fact, each func(string, Kind, Value)) {
	for _, f := range facts {
		name := prefix + f.Name
		switch {
		case f.List != nil:
			for i, v := range f.List {
				each(name+"/"+strconv.Itoa(i), f.Kind, v)
			}
		case f.Map != nil:
			for _, e := range f.Map {
				each(name+"/"+e.Key, Count, Value{N: e.Value})
			}
		case f.Fields != nil:
			scalars(name+"/", f.Fields, each)
		default:
			each(name, f.Kind, f.Value)
		}
	}
}
