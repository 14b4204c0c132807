package batch

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pagoda/internal/config"
	"pagoda/internal/puzzle/setting"
)

// A value is one of an axis, with its place in the file.
type value struct{ text, at string }

// An axis is a key with the values that members have of it.
type axis struct {
	key, at string
	values  []value
}

// A block stands for every combination of one value of each axis.
type block struct {
	at   string
	axes []axis
}

// A matrix is a block without what its excludes name, and the blocks that are included.
type matrix struct {
	block
	exclude, include []block
}

// A combination is the keys of one member, in the order of the file, each with its place.
type combination struct {
	at   string
	keys []config.Override
}

// mostMembers bounds a batch, so that a long list by mistake is refused and not expanded.
const mostMembers = 10_000

// size is the number of combinations of a block, or a number beyond mostMembers.
func (b *block) size() int {
	n := 1
	for _, a := range b.axes {
		if n *= len(a.values); n > mostMembers {
			return mostMembers + 1
		}
	}
	return n
}

// all are the combinations of a block. The last axis varies fastest.
func (b *block) all() []combination {
	list := []combination{{at: b.at}}
	for _, a := range b.axes {
		var longer []combination
		for _, c := range list {
			for _, v := range a.values {
				longer = append(longer, combination{c.at, append(slices.Clip(c.keys), config.Override{Key: a.key, Value: v.text,
					Flag: v.at})})
			}
		}
		list = longer
	}
	return list
}

// within reports whether another combination has all that c has.
func (c *combination) within(other *combination) bool {
	for _, k := range c.keys {
		if !slices.ContainsFunc(other.keys, func(o config.Override) bool { return o.Key == k.Key && o.Value == k.Value }) {
			return false
		}
	}
	return true
}

// text is the combination for people.
func (c *combination) text() string {
	parts := make([]string, len(c.keys))
	for i, k := range c.keys {
		parts[i] = k.Key + " " + setting.Quote(k.Value)
	}
	return strings.Join(parts, ", ")
}

// expand lists the combinations of a matrix: those of its block that no exclude names, and then the included ones. An
// exclude that names none of those that are left is an error.
func (m *matrix) expand() ([]combination, error) {
	count := 0
	for _, b := range append([]block{m.block}, slices.Concat(m.exclude, m.include)...) {
		count += b.size()
	}
	if count > mostMembers {
		return nil, &config.Error{Where: m.at, Err: fmt.Errorf("the matrix has more than %d combinations", mostMembers),
			Hint: "leave values out, or write several batches"}
	}
	var list []combination
	if len(m.axes) > 0 {
		list = m.all()
	}
	for i := range m.exclude {
		for _, gone := range m.exclude[i].all() {
			before := len(list)
			list = slices.DeleteFunc(list, func(c combination) bool { return gone.within(&c) })
			if len(list) == before {
				return nil, &config.Error{Where: gone.at,
					Err:  fmt.Errorf("exclude: no combination is left that has %s", gone.text()),
					Hint: "remove it, or write the values as the matrix has them"}
			}
		}
	}
	for i := range m.include {
		list = append(list, m.include[i].all()...)
	}
	return list, nil
}

// columns are the keys of a matrix, each once, in the order of the file.
func (m *matrix) columns() []string {
	var keys []string
	for _, b := range append([]block{m.block}, m.include...) {
		for _, a := range b.axes {
			if a.key != nameKey && !slices.Contains(keys, a.key) {
				keys = append(keys, a.key)
			}
		}
	}
	return keys
}

// nameKey is the key by which an entry of include names its member.
const nameKey = "name"

var needsKey = regexp.MustCompile(`^([^a-z].*|true|false|)$`)

// name makes a name of the values of a combination, with the key before a value that says little alone.
func (c *combination) name() string {
	var parts []string
	for _, k := range c.keys {
		if k.Key == nameKey {
			return k.Value
		}
		part := strings.Trim(config.PlainName(k.Value), "-_")
		if needsKey.MatchString(part) {
			part = strings.TrimSuffix(k.Key+"-"+part, "-")
		}
		parts = append(parts, part)
	}
	name := strings.Join(parts, "-")
	return name[:min(len(name), config.MostName)]
}
