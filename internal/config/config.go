// Package config reads the settings of a run: a YAML file, the environment, and --set flags.
//
// Every setting is one flat key. A later source overrides an earlier one:
//
//	default  <  file  <  environment PAGODA_<KEY>  <  --set key=value
//
// Nothing is guessed: an unknown key, a value out of range, a key given twice is an error that says where it stands
// and, for a misspelt key, which one was probably meant. Every effective value remembers where it came from.
//
// Which keys exist depends on the puzzle, so the caller passes them in: this package knows the keys of a run
// ([General]) and no puzzle.
package config

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"pagoda/internal/puzzle/setting"
)

// Source is a kind of place that a value can come from, in ascending precedence.
type Source int

// The sources, in ascending precedence.
const (
	FromDefault Source = iota
	FromFile
	FromEnvironment
	FromFlag
)

// An Effective is a setting with its value and where that came from.
type Effective struct {
	Setting setting.Setting
	Value   string
	Source  Source
	// Origin is the source for people: "default", "configs/english.yaml:4", "PAGODA_CONCURRENCY", "--set",
	// "--concurrency".
	Origin string
}

// A Config is the complete, validated settings of one run.
type Config struct {
	// Path is the file that was read.
	Path     string
	settings []Effective
}

// Settings returns every setting in the order of declaration.
func (c *Config) Settings() []Effective { return c.settings }

// Text returns the value of a key. It panics when the key is not declared, which is a mistake in the program.
func (c *Config) Text(name string) string { return c.setting(name).Value }

// Uint returns the value of an Integer key. It panics when the key is not declared as an Integer.
func (c *Config) Uint(name string) uint64 {
	s := c.setting(name)
	n, err := setting.ParseInteger(s.Value)
	if err != nil || s.Setting.Kind != setting.Integer {
		panic("config: " + name + " is not declared as an integer")
	}
	return n
}

// Bool returns the value of a Boolean key. It panics when the key is not declared as one.
func (c *Config) Bool(name string) bool {
	s := c.setting(name)
	if s.Setting.Kind != setting.Boolean {
		panic("config: " + name + " is not declared as a boolean")
	}
	return s.Value == "true"
}

// Share returns the value of a Share key. It panics when the key is not declared as one.
func (c *Config) Share(name string) float64 {
	s := c.setting(name)
	v, err := setting.ParseShare(s.Value)
	if err != nil || s.Setting.Kind != setting.Share {
		panic("config: " + name + " is not declared as a share")
	}
	return v
}

// Duration returns the value of a Duration key. It panics when the key is not declared as one.
func (c *Config) Duration(name string) time.Duration {
	s := c.setting(name)
	v, err := time.ParseDuration(s.Value)
	if err != nil || s.Setting.Kind != setting.Duration {
		panic("config: " + name + " is not declared as a duration")
	}
	return v
}

// Given reports whether a key was set by anything but its default.
func (c *Config) Given(name string) bool { return c.setting(name).Source != FromDefault }

func (c *Config) setting(name string) *Effective {
	for i := range c.settings {
		if c.settings[i].Setting.Name == name {
			return &c.settings[i]
		}
	}
	panic("config: key " + name + " is not declared")
}

// An Error describes a fault in the settings: the place, the cause, and the remedy.
type Error struct {
	Where string // "configs/english.yaml:4", "PAGODA_CONCURRENCY", "--set", or the file
	Err   error
	Hint  string // may be empty
}

func (e *Error) Error() string { return e.Where + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Advice returns what to do about the error, in one line.
func (e *Error) Advice() string { return e.Hint }

// Locate turns an error of a puzzle about one of its keys into an Error that says where the value came from. Any other
// error is returned as an Error about the whole file.
func (c *Config) Locate(err error) error {
	var done *Error
	if err == nil || errors.As(err, &done) {
		return err
	}
	var k *setting.Error
	if !errors.As(err, &k) {
		return &Error{Where: c.Path, Err: err}
	}
	where := c.Path
	for i := range c.settings {
		if s := &c.settings[i]; s.Setting.Name == k.Setting && s.Source != FromDefault {
			where = s.Origin
		}
	}
	return &Error{Where: where, Err: oneLine(k), Hint: k.Hint}
}

// oneLine keeps the promise that an error for people is one line, whatever drawing it quotes.
func oneLine(err error) error {
	if !strings.ContainsAny(err.Error(), "\r\n") {
		return err
	}
	return fmt.Errorf("%s%w", strings.Join(strings.Fields(err.Error()), " "), silent{err})
}

// silent wraps an error so that its text is not said again.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (s silent) Unwrap() error { return s.error }
