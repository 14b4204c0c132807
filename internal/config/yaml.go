package config

import (
	"errors"
	"regexp"
	"strings"
)

// parseYAML reads a flat mapping of keys to scalars. Values keep their text: whether it is a number is for the key to
// say, so that no value is rounded or turned into a boolean on the way.
func parseYAML(path string, data []byte) ([]raw, error) {
	root, err := document(path, data)
	if root == nil || err != nil {
		return nil, err
	}
	keys, err := root.Keys()
	if err != nil {
		return nil, err
	}
	var given []raw
	for _, k := range keys {
		value, err := k.Text()
		if err != nil {
			return nil, err
		}
		given = append(given, raw{k.Name, value, FromFile, k.At})
	}
	return given, nil
}

var yamlLine = regexp.MustCompile(`^(?:yaml: )?line (\d+): `)

// yamlError brings the parser's error into the form of ours: the line belongs to the place.
func yamlError(path string, err error) error {
	text := strings.Join(strings.Fields(err.Error()), " ")
	where := path
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		where, text = path+":"+m[1], text[len(m[0]):]
	}
	return &Error{Where: where, Err: errors.New("not valid yaml: " + strings.TrimPrefix(text, "yaml: ")),
		// Yaml takes the indentation of a text from its first line, and a drawing's first line is often indented more.
		Hint: "write key: value on each line; a drawing that begins with spaces needs |2 instead of |, or - for the spaces"}
}
