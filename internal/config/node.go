package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"pagoda/internal/puzzle/setting"

	"go.yaml.in/yaml/v3"
)

// A Node is a part of a YAML file: keys with their values, a list, or one plain value.
type Node struct {
	path, name string // name is that of the key that has it, "" for the whole file
	node       *yaml.Node
}

// A Key is a key of a file with its value.
type Key struct {
	Name string
	At   string // the place of the key; that of the value is Node.Where
	Node
}

// ReadDocument reads a YAML file that is one document. It returns nil where the file has no keys.
func ReadDocument(path string) (*Node, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return document(path, data)
}

func document(path string, data []byte) (*Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, next yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, yamlError(path, err)
	}
	if err := dec.Decode(&next); !errors.Is(err, io.EOF) {
		return nil, &Error{Where: path, Err: errors.New("more than one yaml document"),
			Hint: "a config is one document; remove the line --- and what follows"}
	}
	root := &Node{path: path, node: doc.Content[0]}
	if root.node.Kind == yaml.ScalarNode && root.node.Tag == "!!null" {
		return nil, nil
	}
	return root, nil
}

func (n *Node) at(line int) string { return n.path + ":" + strconv.Itoa(line) }

// Where is the place of the node: FILE:LINE.
func (n *Node) Where() string { return n.at(n.node.Line) }

// Fault is an error about the node.
func (n *Node) Fault(hint, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	if n.name != "" {
		err = fmt.Errorf("key %s %w", setting.Quote(n.name), err)
	}
	return &Error{Where: n.Where(), Err: err, Hint: hint}
}

// IsList reports whether the node is a list.
func (n *Node) IsList() bool { return n.node.Kind == yaml.SequenceNode }

// IsKeys reports whether the node has keys.
func (n *Node) IsKeys() bool { return n.node.Kind == yaml.MappingNode }

// Keys are the keys of the node, in their order, each once.
func (n *Node) Keys() ([]Key, error) {
	if !n.IsKeys() {
		if n.name == "" {
			return nil, n.Fault("write one key: value on each line", "not a list of keys")
		}
		return nil, n.Fault("write one key: value on each line below it", "must have keys of its own")
	}
	var list []Key
	seen := map[string]int{}
	for i := 0; i < len(n.node.Content); i += 2 {
		k, v := n.node.Content[i], n.node.Content[i+1]
		if k.Kind != yaml.ScalarNode {
			return nil, &Error{Where: n.at(k.Line), Err: errors.New("a key must be plain text")}
		}
		if first, twice := seen[k.Value]; twice {
			return nil, &Error{Where: n.at(k.Line),
				Err: fmt.Errorf("key %s stands here and on line %d", setting.Quote(k.Value), first), Hint: "remove one of the two"}
		}
		seen[k.Value] = k.Line
		if err := n.untagged(k.Value, k); err != nil {
			return nil, err
		}
		list = append(list, Key{k.Value, n.at(k.Line), Node{n.path, k.Value, v}})
	}
	return list, nil
}

// List are the entries of the node.
func (n *Node) List() ([]Node, error) {
	if !n.IsList() {
		return nil, n.Fault("write its entries in brackets, or one a line after -", "must have a list")
	}
	var list []Node
	for _, e := range n.node.Content {
		list = append(list, Node{n.path, n.name, e})
	}
	return list, nil
}

// Text is the plain value of the node, as it is written.
func (n *Node) Text() (string, error) {
	if n.node.Kind != yaml.ScalarNode {
		return "", n.Fault("keys are flat; a drawing is a text of several lines after |", "must have one plain value")
	}
	if err := n.untagged(n.name, n.node); err != nil {
		return "", err
	}
	if n.node.Tag == "!!null" {
		return "", nil
	}
	return n.node.Value, nil
}

// untagged refuses a tag, which would say that the text is another one, or none.
func (n *Node) untagged(key string, of *yaml.Node) error {
	if of.Style&yaml.TaggedStyle == 0 {
		return nil
	}
	return &Error{Where: n.at(of.Line), Err: fmt.Errorf("key %s has the yaml tag %s", setting.Quote(key),
		setting.Quote(of.ShortTag())), Hint: "write the value alone: what it must be is for the key to say"}
}
