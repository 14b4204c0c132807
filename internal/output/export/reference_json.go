package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// parseJSON reads JSON lines, an array of rows, or a document with facts and tables.
func parseJSON(text []byte) (*Reference, error) {
	if text[0] == '[' {
		var rows []json.RawMessage
		if err := json.Unmarshal(text, &rows); err != nil {
			return nil, err
		}
		t, err := jsonTable("", rows)
		return &Reference{tables: []referenceTable{t}}, err
	}
	in := json.NewDecoder(bytes.NewReader(text))
	var objects []json.RawMessage
	for {
		var raw json.RawMessage
		err := in.Decode(&raw)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("object %d: %w", len(objects)+1, err)
		}
		objects = append(objects, raw)
	}
	if len(objects) == 1 {
		members, err := jsonMembers(objects[0])
		if err != nil {
			return nil, err
		}
		if isDocument(members) {
			r := &Reference{facts: map[string]string{}}
			return r, r.addMembers("", members)
		}
	}
	t, err := jsonTable("", objects)
	return &Reference{tables: []referenceTable{t}}, err
}

// A member of a JSON object, in the order of the text.
type member struct {
	name string
	raw  json.RawMessage
}

func jsonMembers(raw json.RawMessage) (list []member, err error) {
	in := json.NewDecoder(bytes.NewReader(raw))
	if begin, err := in.Token(); err != nil || begin != json.Delim('{') {
		return nil, errors.Join(fmt.Errorf("%.60q is no object", raw), err)
	}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := in.Decode(&value); err != nil {
			return nil, err
		}
		text, ok := name.(string)
		if !ok {
			return nil, fmt.Errorf("%v is no name of a member", name)
		}
		list = append(list, member{text, value})
	}
	return list, nil
}

// isDocument tells the document of a run from the only row of a table: rows hold scalars alone, and name no puzzle.
func isDocument(members []member) bool {
	for _, m := range members {
		if m.name == "puzzle" || m.raw[0] == '[' || m.raw[0] == '{' {
			return true
		}
	}
	return false
}

// addMembers adds the facts and tables of a document. A fact in an object is named OBJECT/MEMBER, one in an array
// ARRAY/INDEX, as puzzle.Scalars has it.
func (r *Reference) addMembers(prefix string, members []member) error {
	for _, m := range members {
		name := prefix + m.name
		switch m.raw[0] {
		case '{':
			inner, err := jsonMembers(m.raw)
			if err == nil {
				err = r.addMembers(name+"/", inner)
			}
			if err != nil {
				return err
			}
		case '[':
			if err := r.addArray(name, m.raw); err != nil {
				return err
			}
		default:
			if f, err := scalar(m.raw); err == nil && f.given {
				r.facts[name] = f.text
			}
		}
	}
	return nil
}

func (r *Reference) addArray(name string, raw json.RawMessage) error {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	if len(list) > 0 && list[0][0] == '{' {
		t, err := jsonTable(name, list)
		r.tables = append(r.tables, t)
		return err
	}
	for i, raw := range list {
		if f, err := scalar(raw); err == nil && f.given {
			r.facts[name+"/"+strconv.Itoa(i)] = f.text
		}
	}
	return nil
}

// jsonTable reads objects as the rows of a table, which has the columns of all of them.
func jsonTable(name string, objects []json.RawMessage) (referenceTable, error) {
	t := referenceTable{name: name}
	index := map[string]int{}
	for n, raw := range objects {
		members, err := jsonMembers(raw)
		if err != nil {
			return t, fmt.Errorf("row %d: %w", n+1, err)
		}
		row := referenceRow{line: n + 1, values: make([]field, len(t.columns))}
		for _, m := range members {
			i, known := index[m.name]
			if !known {
				i = len(t.columns)
				index[m.name] = i
				t.columns = append(t.columns, m.name)
			}
			if i >= len(row.values) {
				row.values = append(row.values, make([]field, i+1-len(row.values))...)
			}
			if row.values[i], err = scalar(m.raw); err != nil {
				return t, fmt.Errorf("row %d: %s: %w", n+1, m.name, err)
			}
		}
		t.rows = append(t.rows, row)
	}
	return t, nil
}

// scalar is a string, or a number as it is written; null is none.
func scalar(raw json.RawMessage) (field, error) {
	switch c := raw[0]; {
	case c == 'n':
		return field{}, nil
	case c == '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return field{s, true}, err
	case c == '-' || '0' <= c && c <= '9':
		return field{string(raw), true}, nil
	}
	return field{}, fmt.Errorf("%.60q is neither a string nor a number", raw)
}
