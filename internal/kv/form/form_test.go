package form

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/puzzle/uint128"
)

// all has every kind of piece.
type all struct {
	puzzle.Window
	Tally  puzzle.Tally  `json:"tally"`
	Digest blocks.Digest `json:"digest"`
	Flag   bool          `json:"flag,omitempty"`
	Nanos  int64         `json:"nanos"`
	Names  []string      `json:"names,omitempty"`
}

func (v *all) form(f *Form) {
	f.Window("{", &v.Window)
	f.Text(`,"tally":`)
	f.Tally(&v.Tally)
	f.Text(`,"digest":`)
	f.Digest(&v.Digest)
	f.Flag(`,"flag":true`, &v.Flag)
	Int(f, `,"nanos":`, &v.Nanos)
	List(f, `,"names":[`, &v.Names, (*Form).Name)
	f.Text("}")
}

// draw draws a value; one that is proper has a text.
func draw(t *rapid.T, proper bool) (v all) {
	name, least := rapid.StringMatching(`[ !#-%'-;=?-\[\]-~]{0,9}`), int64(0)
	if !proper {
		name, least = rapid.OneOf(name, name, name, rapid.StringMatching(`[ -~]{0,6}`), rapid.String()), -1<<20
	}
	number := func(what string) uint128.Uint128 {
		return uint128.Uint128{Lo: rapid.Uint64().Draw(t, what), Hi: rapid.Uint64().Draw(t, what)}
	}
	cell := func() puzzle.Cell {
		return puzzle.Cell{Layer: rapid.IntRange(int(least), 1<<30).Draw(t, "layer"), Key: name.Draw(t, "key")}
	}
	v.Cell, v.Part = cell(), rapid.IntRange(int(least), 1<<30).Draw(t, "part")
	v.First, v.Addresses = rapid.Uint64().Draw(t, "first"), rapid.Uint64().Draw(t, "addresses")
	v.Flag = rapid.Bool().Draw(t, "flag")
	v.Nanos, v.Names = rapid.Int64Range(least, 1<<62).Draw(t, "nanos"), rapid.SliceOfN(name, 0, 3).Draw(t, "names")
	copy(v.Digest[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "digest"))
	for range rapid.IntRange(0, 3).Draw(t, "scalars") {
		v.Tally.Sums = append(v.Tally.Sums, puzzle.Scalar{Name: name.Draw(t, "sum"), Value: number("value")})
		v.Tally.Out = append(v.Tally.Out, puzzle.Flow{Cell: cell(), Amount: number("amount")})
	}
	for range rapid.IntRange(0, 2).Draw(t, "others") {
		v.Tally.Maxima = append(v.Tally.Maxima, puzzle.Scalar{Name: name.Draw(t, "maximum"), Value: number("value")})
		v.Tally.In = append(v.Tally.In, puzzle.Flow{Cell: cell(), Amount: number("amount")})
	}
	return v
}

// TestJSON: a text is that of encoding/json, and there is none only where JSON escapes a name or a number is negative.
// It is read as it was written.
func TestJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		proper := rapid.Bool().Draw(t, "proper")
		v := draw(t, proper)
		want, err := json.Marshal(&v)
		if err != nil {
			t.Fatal(err)
		}
		b, ok := Write(v.form)
		if ok == odd(&v) || proper && !ok {
			t.Fatalf("text %t: %s", ok, want)
		}
		if !ok {
			return
		}
		if string(b) != string(want) {
			t.Fatalf("%s, as JSON %s", b, want)
		}
		var got all
		if err := Read(b, got.form); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if again, _ := json.Marshal(&got); string(again) != string(want) {
			t.Fatalf("%s was read as %s", want, again)
		}
	})
}

// odd reports whether a value has a name that is not its own text in JSON, or a negative number.
func odd(v *all) bool {
	names, odd := v.Names, v.Part < 0 || v.Nanos < 0
	cells := []puzzle.Cell{v.Cell}
	for _, list := range [][]puzzle.Flow{v.Tally.In, v.Tally.Out} {
		for _, f := range list {
			cells = append(cells, f.Cell)
		}
	}
	for _, c := range cells {
		names, odd = append(names, c.Key), odd || c.Layer < 0
	}
	for _, list := range [][]puzzle.Scalar{v.Tally.Sums, v.Tally.Maxima} {
		for _, s := range list {
			names = append(names, s.Name)
		}
	}
	for _, s := range names {
		text, _ := json.Marshal(s)
		ascii := true
		for i := range len(s) {
			ascii = ascii && s[i] < 0x7f
		}
		odd = odd || string(text) != `"`+s+`"` || !ascii
	}
	return odd
}

// FuzzRead: a text that is read is written again as it was, and encoding/json reads the same value.
func FuzzRead(f *testing.F) {
	v := all{Names: []string{"a", "b"}, Flag: true, Nanos: 7}
	v.Tally.Sums = []puzzle.Scalar{{Name: "s", Value: uint128.From(1)}, {Name: "t"}}
	v.Tally.In, v.Tally.Maxima = []puzzle.Flow{{Cell: puzzle.Cell{Layer: 3, Key: "c"}}}, v.Tally.Sums
	b, _ := Write(v.form)
	f.Add(b)
	b, _ = Write(new(all).form)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var v, w all
		if Read(b, v.form) != nil {
			return
		}
		if again, ok := Write(v.form); !ok || string(again) != string(b) {
			t.Fatalf("%s is written as %s", b, again)
		}
		if err := json.Unmarshal(b, &w); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		x, _ := json.Marshal(&v)
		if y, _ := json.Marshal(&w); string(x) != string(y) {
			t.Fatalf("%s is read as %s, by encoding/json as %s", b, x, y)
		}
	})
}

// TestWritingReads: others may read a value while it is written, so writing changes nothing. The race detector sees it.
func TestWritingReads(t *testing.T) {
	v := all{Names: []string{"a"}, Flag: true, Nanos: 7}
	v.Tally.In = []puzzle.Flow{{Cell: puzzle.Cell{Layer: 3, Key: "c"}, Amount: uint128.From(1)}}
	v.Tally.Sums = []puzzle.Scalar{{Name: "s", Value: uint128.From(1)}}
	other := make(chan []byte)
	go func() {
		b, _ := Write(v.form)
		other <- b
	}()
	if b, _ := Write(v.form); string(b) != string(<-other) {
		t.Errorf("two texts: %s", b)
	}
}
