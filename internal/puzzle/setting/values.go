package setting

import "strconv"

// Values are settings with values that have been checked. The methods panic when a name is not declared, or not
// declared as of that kind: that is a mistake in the program.
type Values interface {
	Text(name string) string
	Uint(name string) uint64 // of an Integer
	Bool(name string) bool   // of a Boolean
	// Given reports whether a value was given, even if it is the default's text.
	Given(name string) bool
}

// A Set is Values in memory, such as the flags of one question.
type Set struct {
	declared []Setting
	values   map[string]string
}

// NewSet checks the given texts by name against the declared settings, and fills in defaults. The error is an *[Error]
// about the first setting at fault in the order of declaration; a name that is not declared is the caller's mistake and
// panics.
func NewSet(declared []Setting, given map[string]string) (*Set, error) {
	set := &Set{declared, given}
	for name := range given {
		set.find(name)
	}
	for i := range declared {
		s := &declared[i]
		if err := s.Check(set.Text(s.Name)); err != nil {
			return nil, &Error{Setting: s.Name, Err: err, Hint: s.Name + ": " + s.Doc}
		}
	}
	return set, nil
}

func (v *Set) find(name string) *Setting {
	for i := range v.declared {
		if v.declared[i].Name == name {
			return &v.declared[i]
		}
	}
	panic("setting: " + name + " is not declared")
}

// Text implements [Values].
func (v *Set) Text(name string) string {
	s := v.find(name)
	if text, ok := v.values[name]; ok {
		return text
	}
	return s.Default
}

// Uint implements [Values].
func (v *Set) Uint(name string) uint64 {
	n, err := ParseInteger(v.Text(name))
	if err != nil || v.find(name).Kind != Integer {
		panic("setting: " + name + " is not declared as an integer")
	}
	return n
}

// Bool implements [Values].
func (v *Set) Bool(name string) bool {
	b, err := strconv.ParseBool(v.Text(name))
	if err != nil || v.find(name).Kind != Boolean {
		panic("setting: " + name + " is not declared as a boolean")
	}
	return b
}

// Given implements [Values].
func (v *Set) Given(name string) bool {
	v.find(name)
	_, ok := v.values[name]
	return ok
}
