package batch

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pagoda/internal/config"
	"pagoda/internal/puzzle/setting"
)

// A file is a batch as it is written.
type file struct {
	path    string
	base    string            // path of the base config; "" where its keys stand in the file
	keys    []config.Override // of such a base
	matrix  matrix
	configs []value // paths of further configs
	atATime int
}

// fileKeys are the keys of a batch.
var fileKeys = []string{"base", "matrix", "configs", "at_a_time"}

// poolKeys are words for workers elsewhere, which people may expect in the file of a batch.
var poolKeys = []string{"nats", "listen", "workers", "pool", "kubernetes", "k8s"}

// puzzleKey is a key of every config, and of no batch.
const puzzleKey = "puzzle"

// Holds reports whether a file is a batch by its keys, and no config. A file that cannot be read is none.
func Holds(path string) bool {
	root, err := config.ReadDocument(path)
	if err != nil || root == nil {
		return false
	}
	keys, err := root.Keys()
	return err == nil && slices.ContainsFunc(keys, func(k config.Key) bool { return slices.Contains(fileKeys, k.Name) }) &&
		!slices.ContainsFunc(keys, func(k config.Key) bool { return k.Name == puzzleKey })
}

// read reads the file of a batch.
func read(path string) (*file, error) {
	f := &file{path: path, atATime: 1}
	root, err := config.ReadDocument(path)
	if err != nil {
		return nil, err
	}
	if root == nil {
		return nil, &config.Error{Where: path, Err: errors.New("the batch is empty"),
			Hint: "its keys are " + strings.Join(fileKeys, ", ")}
	}
	keys, err := root.Keys()
	if err != nil {
		return nil, err
	}
	for i := range keys {
		if keys[i].Name == puzzleKey {
			return nil, &config.Error{Where: keys[i].At, Err: errors.New("this is the config of one run, and no batch"),
				Hint: "give it to the command for a run, such as coordinator run, or list it under configs in a batch"}
		}
		if err := f.take(&keys[i]); err != nil {
			return nil, err
		}
	}
	matrix := len(f.matrix.axes)+len(f.matrix.include) > 0
	if base := f.base != "" || f.keys != nil; matrix != base {
		return nil, &config.Error{Where: path, Err: errors.New("base and matrix belong together, and one of them is missing"),
			Hint: "write both, or list whole configs under configs"}
	}
	if !matrix && len(f.configs) == 0 {
		return nil, &config.Error{Where: path, Err: errors.New("the batch has no members"),
			Hint: "write a base and a matrix, or list configs"}
	}
	return f, nil
}

// take reads one key of the batch.
func (f *file) take(k *config.Key) (err error) {
	switch k.Name {
	case "base":
		return f.takeBase(k)
	case "matrix":
		return f.takeMatrix(k)
	case "configs":
		f.configs, err = values(&k.Node)
		for i := range f.configs {
			f.configs[i].text = f.beside(f.configs[i].text)
		}
		return err
	case "at_a_time":
		text, err := k.Text()
		if err != nil {
			return err
		}
		n, err := setting.IntegerArgument(k.Name, text, 1, 1024, "how many members are carried out at the same time")
		if err != nil {
			return &config.Error{Where: k.Where(), Err: err, Hint: "write at_a_time: 1 or more"}
		}
		f.atATime = int(n)
		return nil
	}
	if slices.Contains(poolKeys, k.Name) {
		return &config.Error{Where: k.At, Err: fmt.Errorf("key %s: the file of a batch does not say where its workers are",
			setting.Quote(k.Name)), Hint: "remove it, and give --nats or --listen to batch run"}
	}
	hint := "the keys of a batch are " + strings.Join(fileKeys, ", ")
	if k.Name == "include" || k.Name == "exclude" {
		hint = "it belongs below matrix"
	} else if near, ok := setting.Nearest(k.Name, fileKeys); ok {
		hint = "did you mean " + near + "?"
	}
	return &config.Error{Where: k.At, Err: fmt.Errorf("unknown key %s of a batch", setting.Quote(k.Name)), Hint: hint}
}

// beside is a path as seen from the folder of the batch.
func (f *file) beside(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(f.path), path)
}

// takeBase reads the path of a config, or the keys themselves.
func (f *file) takeBase(k *config.Key) error {
	if !k.IsKeys() {
		text, err := k.Text()
		if err == nil && text == "" {
			err = k.Fault("write the path of a config, or keys below it", "has no value")
		}
		f.base = f.beside(text)
		return err
	}
	keys, err := k.Keys()
	if err != nil {
		return err
	}
	f.keys = []config.Override{}
	for i := range keys {
		text, err := keys[i].Text()
		if err == nil {
			err = own(&keys[i])
		}
		if err != nil {
			return err
		}
		f.keys = append(f.keys, config.Override{Key: keys[i].Name, Value: text, Flag: keys[i].At})
	}
	return nil
}

// own refuses keys that a batch decides for its members.
func own(k *config.Key) error {
	hint := map[string]string{
		nameKey:    "members are named by the keys of the matrix; an entry of include may have a name",
		"data_dir": "each member has a folder of its name in the folder of the batch, which --data names",
	}[k.Name]
	if hint == "" {
		return nil
	}
	return &config.Error{Where: k.At, Err: fmt.Errorf("key %s is not for a batch", setting.Quote(k.Name)), Hint: hint}
}

func (f *file) takeMatrix(k *config.Key) error {
	keys, err := k.Keys()
	if err != nil {
		return err
	}
	m := &f.matrix
	m.at = k.At
	for i := range keys {
		e := &keys[i]
		switch e.Name {
		case "exclude":
			m.exclude, err = blocks(&e.Node)
		case "include":
			m.include, err = blocks(&e.Node)
		default:
			var a axis
			if !e.IsList() {
				return e.Fault("write "+e.Name+": [...], or put a key with one value into the base",
					"must have a list of values")
			}
			if a, err = readAxis(e); err == nil {
				err = own(e)
			}
			m.axes = append(m.axes, a)
		}
		if err != nil {
			return err
		}
	}
	if len(m.axes)+len(m.include) == 0 {
		return &config.Error{Where: k.At, Err: errors.New("the matrix is empty"),
			Hint: "write a key with a list of values below it"}
	}
	for _, b := range m.exclude {
		for _, a := range b.axes {
			if !slices.ContainsFunc(m.axes, func(o axis) bool { return o.key == a.key }) {
				return &config.Error{Where: a.at, Err: fmt.Errorf("exclude: the matrix has no key %s", setting.Quote(a.key)),
					Hint: "exclude names values of the keys of the matrix"}
			}
		}
	}
	return nil
}

// blocks reads the entries of include or exclude, of which each key has one value or a list of them.
func blocks(n *config.Node) ([]block, error) {
	entries, err := n.List()
	if err == nil && len(entries) == 0 {
		err = n.Fault("remove it, or write entries such as - {board: english}", "is empty")
	}
	if err != nil {
		return nil, err
	}
	var list []block
	for i := range entries {
		keys, err := entries[i].Keys()
		if err == nil && len(keys) == 0 {
			err = entries[i].Fault("remove it, or write keys into it", "has an empty entry")
		}
		if err != nil {
			return nil, err
		}
		b := block{at: entries[i].Where()}
		for j := range keys {
			a, err := readAxis(&keys[j])
			if err != nil {
				return nil, err
			}
			if a.key != nameKey || len(a.values) > 1 {
				err = own(&keys[j])
			}
			if err != nil {
				return nil, err
			}
			b.axes = append(b.axes, a)
		}
		list = append(list, b)
	}
	return list, nil
}

// readAxis reads a key with a list of values, or with one.
func readAxis(k *config.Key) (axis, error) {
	a := axis{key: k.Name, at: k.At}
	var err error
	if k.IsList() {
		a.values, err = values(&k.Node)
		return a, err
	}
	text, err := k.Text()
	a.values = []value{{text, k.At}}
	return a, err
}

// values reads a list of plain values, none of them twice.
func values(n *config.Node) ([]value, error) {
	entries, err := n.List()
	if err == nil && len(entries) == 0 {
		err = n.Fault("write one or more", "has no values")
	}
	if err != nil {
		return nil, err
	}
	var list []value
	for i := range entries {
		text, err := entries[i].Text()
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(v value) bool { return v.text == text }) {
			return nil, entries[i].Fault("remove one of the two", "has the value %s twice", setting.Quote(text))
		}
		list = append(list, value{text, entries[i].Where()})
	}
	return list, nil
}
