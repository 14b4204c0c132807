package kv

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/puzzle/uint128"
)

// A form writes the one JSON text of a value, or reads it. One description serves both directions, so a value is read
// from its own text alone: spaces, other orders, unknown or doubled keys, escapes, leading zeros and 1e3 do not fit.
// The text is that of encoding/json, since names have no character that JSON escapes.
type form struct {
	b       []byte // written so far, or not read yet
	reading bool
	bad     bool // the text does not fit; nothing is left to read
	last    byte // of the last piece of text
}

// readForm reads the text of a value, which is all of b.
func readForm(b []byte, value func(*form)) error {
	if len(b) > MaxRecordBytes {
		return fmt.Errorf("%d bytes, at most %d are allowed", len(b), MaxRecordBytes)
	}
	f := form{b: b, reading: true}
	if value(&f); f.bad || len(f.b) > 0 {
		return errors.New("not in canonical form")
	}
	return nil
}

func (f *form) entry(e *Entry) {
	f.text(`{"record":`)
	f.record(&e.Record)
	list(f, `"holders":[`, &e.Holders, f.name)
	list(f, `"by":[`, &e.By, f.name)
	f.text("}")
}

func (f *form) record(r *Record) {
	f.text(`{"run":`)
	f.name(&r.Run)
	f.cell(`,"layer":`, &r.Cell)
	f.int(`,"part":`, &r.Part)
	f.number(`,"first":`, &r.First)
	f.number(`,"addresses":`, &r.Addresses)
	f.number(`,"rows":`, &r.Rows)
	f.number(`,"blocks":`, &r.Blocks)
	f.number(`,"bytes":`, &r.Bytes)
	f.text(`,"digest":`)
	f.digest(&r.Digest)
	f.text(`,"tally":{`)
	list(f, `"sums":[`, &r.Tally.Sums, f.scalar)
	list(f, `"maxima":[`, &r.Tally.Maxima, f.scalar)
	list(f, `"in":[`, &r.Tally.In, f.flow)
	list(f, `"out":[`, &r.Tally.Out, f.flow)
	f.text("}}")
}

func (f *form) scalar(s *puzzle.Scalar) {
	f.text(`{"name":`)
	f.name(&s.Name)
	f.text(`,"value":`)
	f.count(&s.Value)
	f.text("}")
}

func (f *form) flow(w *puzzle.Flow) {
	f.cell(`{"layer":`, &w.Cell)
	f.text(`,"amount":`)
	f.count(&w.Amount)
	f.text("}")
}

func (f *form) cell(layer string, c *puzzle.Cell) {
	f.int(layer, &c.Layer)
	f.text(`,"cell":`)
	f.name(&c.Key)
}

// list is a list that is left out when it is empty. It begins with open and, behind another value, a comma.
func list[T any](f *form, open string, v *[]T, item func(*T)) {
	comma := ","
	if f.last == '{' {
		comma = ""
	}
	if f.reading && (len(f.b) < len(comma) || !bytes.HasPrefix(f.b[len(comma):], []byte(open))) ||
		!f.reading && len(*v) == 0 {
		return
	}
	f.text(comma)
	f.text(open)
	for i := 0; ; i++ {
		if f.reading {
			*v = append(*v, *new(T))
		}
		item(&(*v)[i])
		if f.reading && !bytes.HasPrefix(f.b, []byte(",")) || !f.reading && i+1 == len(*v) {
			break
		}
		f.text(",")
	}
	f.text("]")
}

// text is s itself.
func (f *form) text(s string) {
	if s == "" {
		return
	}
	f.last = s[len(s)-1]
	if !f.reading {
		f.b = append(f.b, s...)
	} else if n := len(s); len(f.b) >= n && string(f.b[:n]) == s {
		f.b = f.b[n:]
	} else {
		f.fail()
	}
}

func (f *form) fail() { f.b, f.bad = nil, true }

// quoted reads a string in quotes, without escapes, and returns its content.
func (f *form) quoted() []byte {
	f.text(`"`)
	n := bytes.IndexByte(f.b, '"')
	if n < 0 {
		f.fail()
		return nil
	}
	s := f.b[:n]
	f.b = f.b[n+1:]
	return s
}

// name is a string in quotes. The value is to be checked: no text that is longer than its content is a name.
func (f *form) name(s *string) {
	if f.reading {
		*s = string(f.quoted())
		return
	}
	f.b = append(append(append(f.b, '"'), *s...), '"')
}

// number is a name and a number.
func (f *form) number(name string, v *uint64) {
	f.text(name)
	if !f.reading {
		f.b = strconv.AppendUint(f.b, *v, 10)
		return
	}
	n := 0
	for n < len(f.b) && '0' <= f.b[n] && f.b[n] <= '9' {
		n++
	}
	x, err := strconv.ParseUint(string(f.b[:n]), 10, 64)
	if err != nil || n > 1 && f.b[0] == '0' {
		f.fail()
		return
	}
	*v, f.b = x, f.b[n:]
}

func (f *form) int(name string, v *int) {
	n := uint64(*v)
	if f.number(name, &n); n > math.MaxInt32 {
		f.fail()
	}
	*v = int(n)
}

func (f *form) digest(d *blocks.Digest) {
	if !f.reading {
		f.b = append(hex.AppendEncode(append(f.b, '"'), d[:]), '"')
	} else if d.UnmarshalText(f.quoted()) != nil {
		f.fail()
	}
}

// count is an exact number in quotes.
func (f *form) count(v *uint128.Uint128) {
	if !f.reading {
		f.b = append(v.AppendText10(append(f.b, '"')), '"')
		return
	}
	s := f.quoted()
	if v.UnmarshalText(s) != nil || len(s) > 1 && s[0] == '0' {
		f.fail()
	}
}
