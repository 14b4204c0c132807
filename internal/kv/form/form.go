// Package form writes and reads the JSON text of records and messages, without reflection.
//
// A function that takes a *[Form] describes a value, piece by piece. [Write] has it write the text, and [Read] has it
// read the same text. So a value is read from one text alone: spaces, other orders, unknown or doubled keys, escapes,
// leading zeros and 1e3 do not fit. The text is that of encoding/json, where empty lists are left out. It takes
// encoding/json several times as long to write and read.
package form

import (
	"bytes"
	"errors"
	"strconv"
)

// A Form is a text that is written or read.
type Form struct {
	b       []byte // written so far, or not read yet
	reading bool
	bad     bool // the text does not fit; nothing is left to read
	last    byte // of the last piece of text
}

// Write returns the text of a value. ok is false when it has no text here: a name has characters that JSON escapes, or
// a number is negative.
func Write(value func(*Form)) (b []byte, ok bool) {
	f := Form{b: make([]byte, 0, 1<<10)}
	value(&f)
	return f.b, !f.bad
}

// Read reads the text of a value, which is all of b.
func Read(b []byte, value func(*Form)) error {
	f := Form{b: b, reading: true}
	if value(&f); f.bad || len(f.b) > 0 {
		return errors.New("not in canonical form")
	}
	return nil
}

func (f *Form) fail() { f.b, f.bad = nil, true }

// Text is s itself.
func (f *Form) Text(s string) {
	if !f.If(s, true) {
		f.fail()
	}
}

// If is s itself, where it is there: a reader looks, and a writer is told. Anything but s may follow where it is not.
func (f *Form) If(s string, there bool) bool {
	n := len(s)
	switch {
	case f.reading:
		if there = len(f.b) >= n && string(f.b[:n]) == s; there {
			f.b = f.b[n:]
		}
	case there:
		f.b = append(f.b, s...)
	}
	if there && n > 0 {
		f.last = s[n-1]
	}
	return there
}

// List is a list that is left out when it is empty. open begins it, with a comma, which is left out behind a brace.
func List[T any](f *Form, open string, v *[]T, item func(*Form, *T)) {
	if f.last == '{' {
		open = open[1:]
	}
	if !f.If(open, len(*v) > 0) {
		return
	}
	for i, more := 0, true; more; i++ {
		if f.reading {
			*v = append(*v, *new(T))
		}
		item(f, &(*v)[i])
		more = f.If(",", i+1 < len(*v))
	}
	f.Text("]")
}

// Name is a string in quotes.
func (f *Form) Name(s *string) {
	if f.reading {
		*s = string(f.quoted())
	} else if f.b = append(append(append(f.b, '"'), *s...), '"'); !plain(*s) {
		f.fail()
	}
}

// quoted reads a string in quotes, without escapes, and returns its content.
func (f *Form) quoted() []byte {
	f.Text(`"`)
	n := bytes.IndexByte(f.b, '"')
	if n < 0 || !plain(f.b[:n]) {
		f.fail()
		return nil
	}
	s := f.b[:n]
	f.b = f.b[n+1:]
	return s
}

// plain reports whether a string is its own text in JSON.
func plain[T string | []byte](s T) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c > '~', c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}

// Number is a name and a number.
func (f *Form) Number(name string, v *uint64) {
	f.Text(name)
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

// Int is a name and a number that is not negative.
func Int[T int | int64](f *Form, name string, v *T) {
	n := uint64(*v)
	f.Number(name, &n)
	if x := T(n); x < 0 || uint64(x) != n {
		f.fail()
	} else if f.reading { // others may read what is written
		*v = x
	}
}

// Flag is s where v is true.
func (f *Form) Flag(s string, v *bool) {
	if f.If(s, *v) && f.reading {
		*v = true
	}
}
