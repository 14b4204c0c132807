package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"pagoda/internal/puzzle/setting"

	"go.yaml.in/yaml/v3"
)

// parseYAML reads a flat mapping of keys to scalars. Values keep their text: whether it is a number is for the key to
// say, so that no value is rounded or turned into a boolean on the way.
func parseYAML(path string, data []byte) ([]raw, error) {
	at := func(line int) string { return path + ":" + strconv.Itoa(line) }
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, yamlError(path, err)
	}
	var next yaml.Node
	if err := dec.Decode(&next); !errors.Is(err, io.EOF) {
		return nil, &Error{Where: path, Err: errors.New("more than one yaml document"),
			Hint: "a config is one document; remove the line --- and what follows"}
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, &Error{Where: at(root.Line), Err: errors.New("not a list of keys"),
			Hint: "write one key: value on each line"}
	}
	var given []raw
	seen := map[string]int{}
	for i := 0; i < len(root.Content); i += 2 {
		k, v := root.Content[i], root.Content[i+1]
		if k.Kind != yaml.ScalarNode {
			return nil, &Error{Where: at(k.Line), Err: errors.New("a key must be plain text")}
		}
		if first, twice := seen[k.Value]; twice {
			return nil, &Error{Where: at(k.Line),
				Err: fmt.Errorf("key %s stands here and on line %d", setting.Quote(k.Value), first), Hint: "remove one of the two"}
		}
		seen[k.Value] = k.Line
		if v.Kind != yaml.ScalarNode {
			return nil, &Error{Where: at(v.Line), Err: fmt.Errorf("key %s must have one plain value", setting.Quote(k.Value)),
				Hint: "keys are flat; a drawing is a text of several lines after | "}
		}
		for _, n := range []*yaml.Node{k, v} {
			if n.Style&yaml.TaggedStyle != 0 { // it would say that the text is another one, or none
				return nil, &Error{Where: at(n.Line), Err: fmt.Errorf("key %s has the yaml tag %s", setting.Quote(k.Value),
					setting.Quote(n.ShortTag())), Hint: "write the value alone: what it must be is for the key to say"}
			}
		}
		value := v.Value
		if v.Tag == "!!null" {
			value = ""
		}
		given = append(given, raw{k.Value, value, FromFile, at(k.Line)})
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
