package form

import (
	"encoding/hex"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/puzzle/uint128"
)

// Cell is the fields of a cell; open comes before the first.
func (f *Form) Cell(open string, c *puzzle.Cell) {
	f.Text(open)
	Int(f, `"layer":`, &c.Layer)
	f.Text(`,"cell":`)
	f.Name(&c.Key)
}

// Window is the fields of a window; open comes before the first.
func (f *Form) Window(open string, w *puzzle.Window) {
	f.Cell(open, &w.Cell)
	Int(f, `,"part":`, &w.Part)
	f.Number(`,"first":`, &w.First)
	f.Number(`,"addresses":`, &w.Addresses)
}

// Tally is a tally.
func (f *Form) Tally(t *puzzle.Tally) {
	f.Text("{")
	List(f, `,"sums":[`, &t.Sums, (*Form).scalar)
	List(f, `,"maxima":[`, &t.Maxima, (*Form).scalar)
	List(f, `,"in":[`, &t.In, (*Form).flow)
	List(f, `,"out":[`, &t.Out, (*Form).flow)
	f.Text("}")
}

func (f *Form) scalar(s *puzzle.Scalar) {
	f.Text(`{"name":`)
	f.Name(&s.Name)
	f.Text(`,"value":`)
	f.count(&s.Value)
	f.Text("}")
}

func (f *Form) flow(w *puzzle.Flow) {
	f.Cell("{", &w.Cell)
	f.Text(`,"amount":`)
	f.count(&w.Amount)
	f.Text("}")
}

// count is an exact number in quotes.
func (f *Form) count(v *uint128.Uint128) {
	if !f.reading {
		f.b = append(v.AppendText10(append(f.b, '"')), '"')
		return
	}
	s := f.quoted()
	if v.UnmarshalText(s) != nil || len(s) > 1 && s[0] == '0' {
		f.fail()
	}
}

// Digest is a digest in quotes.
func (f *Form) Digest(d *blocks.Digest) {
	if !f.reading {
		f.b = append(hex.AppendEncode(append(f.b, '"'), d[:]), '"')
	} else if d.UnmarshalText(f.quoted()) != nil {
		f.fail()
	}
}
