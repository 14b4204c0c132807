// Package canonical reads and writes JSON documents that have one form only, but for the space between their parts:
// certificates, proofs, records of results.
package canonical

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Marshal writes v as JSON in one line, without escapes of HTML.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Indent writes v for people and programs: JSON with one indent, and a line feed at its end.
func Indent(v any) ([]byte, error) {
	line, err := Marshal(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, line, "", " "); err != nil {
		return nil, err
	}
	return append(b.Bytes(), '\n'), nil
}

// Decode decodes JSON into the value behind v and demands that Marshal gives the same bytes, but for space between
// them. That one comparison refuses everything a lenient decoder lets pass: case, order, doubled keys, numbers like
// 1e3.
func Decode(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	var have bytes.Buffer
	if err := json.Compact(&have, data); err != nil {
		return err
	}
	want, err := Marshal(v)
	if err != nil {
		return err
	}
	if !bytes.Equal(have.Bytes(), want) {
		return fmt.Errorf("not in canonical form from byte %d on, spaces between its parts not counted",
			firstByte(have.Bytes(), want))
	}
	return nil
}

// firstByte is the first place where two texts differ.
func firstByte(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
