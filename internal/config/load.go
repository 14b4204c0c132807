package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"pagoda/internal/puzzle/setting"
	"pagoda/internal/readfile"
)

// EnvPrefix begins the names of the environment variables that set keys: PAGODA_CONCURRENCY sets concurrency.
const EnvPrefix = "PAGODA_"

// maxFileBytes bounds the size of a config; a drawing of 64 holes needs a few hundred bytes.
const maxFileBytes = 1 << 20

// An Override is a key set on the command line or in a batch.
type Override struct {
	Key, Value string
	Flag       string // "--set", the flag that is short for it, such as "--concurrency", or a place in a batch
}

// ParseSet reads the argument of a --set flag.
func ParseSet(arg string) (Override, error) {
	key, value, ok := strings.Cut(arg, "=")
	if !ok || key == "" {
		return Override{}, &Error{Where: "--set " + setting.Quote(arg), Err: errors.New("not of the form key=value"),
			Hint: "write for example --set concurrency=2"}
	}
	return Override{Key: key, Value: value, Flag: "--set"}, nil
}

// Schema returns the keys that exist for the value of the key "puzzle".
type Schema func(puzzle string) ([]setting.Setting, error)

// Options are the sources of [Load].
type Options struct {
	// General are the keys of every run; one of them is named "puzzle".
	General []setting.Setting
	// Puzzle gives the further keys of a puzzle.
	Puzzle Schema
	// File are keys that count as those of the file, with their places as flags.
	File []Override
	// Environ is the environment in the form of os.Environ.
	Environ []string
	// Overrides are the flags, each key once.
	Overrides []Override
	// PassUnknown passes over keys of the file that do not exist: a later program may have written it. The caller has to
	// find out whether the rest means the same.
	PassUnknown bool
}

// Load reads the file at path and everything that overrides it. Every error is an *[Error].
func Load(path string, o Options) (*Config, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data, o)
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Error{Where: path, Err: errors.New("no such config file"),
			Hint: "give the path of a yaml file such as configs/english.yaml"}
	case err != nil:
		return nil, &Error{Where: path, Err: err}
	case !info.Mode().IsRegular():
		return nil, &Error{Where: path, Err: errors.New("not a regular file"),
			Hint: "give the path of a yaml file such as configs/english.yaml"}
	case info.Size() > maxFileBytes:
		return nil, &Error{Where: path, Err: fmt.Errorf("%d bytes are too much for a config", info.Size()),
			Hint: fmt.Sprintf("a config has at most %d bytes", maxFileBytes)}
	}
	data, err := readfile.Bounded(path, maxFileBytes) // some files that are regular say no size
	if err != nil {
		return nil, &Error{Where: path, Err: err}
	}
	return data, nil
}

// Parse is [Load] with the content of the file at hand.
func Parse(path string, data []byte, o Options) (*Config, error) {
	given, err := parseYAML(path, data)
	if err != nil {
		return nil, err
	}
	for _, k := range o.File {
		given = append(given, raw{key: k.Key, value: k.Value, source: FromFile, origin: k.Flag})
	}
	environ, err := fromEnvironment(o.Environ)
	if err != nil {
		return nil, err
	}
	given = append(given, environ...)
	for i, s := range o.Overrides {
		if first := slices.IndexFunc(o.Overrides, func(f Override) bool { return f.Key == s.Key }); first < i {
			return nil, &Error{Where: s.Flag, Err: fmt.Errorf("key %s is given twice: %s and %s", setting.Quote(s.Key),
				setting.Quote(o.Overrides[first].Value), setting.Quote(s.Value)), Hint: "leave one of the two out"}
		}
		given = append(given, raw{key: s.Key, value: s.Value, source: FromFlag, origin: s.Flag})
	}

	general, err := resolve(path, o.General, keep(given, o.General))
	if err != nil {
		return nil, err
	}
	puzzle, err := o.Puzzle(general.Text("puzzle"))
	if err != nil {
		return nil, general.Locate(&setting.Error{Setting: "puzzle", Err: err})
	}
	keys := slices.Concat(o.General, puzzle)
	if o.PassUnknown {
		given = slices.DeleteFunc(given, func(r raw) bool { return r.source == FromFile && index(keys, r.key) < 0 })
	}
	return resolve(path, keys, given)
}

// raw is a value as one source gives it.
type raw struct {
	key, value string
	source     Source
	origin     string
}

func keep(given []raw, keys []setting.Setting) []raw {
	return slices.DeleteFunc(slices.Clone(given), func(r raw) bool { return index(keys, r.key) < 0 })
}

func index(keys []setting.Setting, name string) int {
	return slices.IndexFunc(keys, func(k setting.Setting) bool { return k.Name == name })
}

// resolve puts the given values, which come in ascending precedence, over the defaults.
func resolve(path string, keys []setting.Setting, given []raw) (*Config, error) {
	c := &Config{Path: path}
	for _, k := range keys {
		origin := "default"
		if k.DefaultFrom != "" {
			origin = "default: " + k.DefaultFrom
		}
		c.settings = append(c.settings, Effective{Setting: k, Value: k.Default, Origin: origin})
	}
	for _, r := range given {
		i := index(keys, r.key)
		if i < 0 {
			return nil, unknown(r, keys)
		}
		s := &c.settings[i]
		s.Value, s.Source, s.Origin = r.value, r.source, r.origin
		if s.Setting.ZeroIsDefault && r.value == "0" {
			s.Value, s.Origin = s.Setting.Default, r.origin+", 0: "+s.Setting.DefaultFrom
		}
	}
	for i := range c.settings {
		s := &c.settings[i]
		if err := s.Setting.Check(s.Value); err != nil {
			return nil, c.Locate(&setting.Error{Setting: s.Setting.Name, Err: err, Hint: s.Setting.Name + ": " + s.Setting.Doc})
		}
	}
	return c, nil
}

func unknown(r raw, keys []setting.Setting) error {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	hint := "the keys are " + strings.Join(names, ", ")
	if near, ok := setting.Nearest(r.key, names); ok {
		hint = "did you mean " + near + "?"
	}
	return &Error{Where: r.origin, Err: fmt.Errorf("unknown key %s", setting.Quote(r.key)), Hint: hint}
}

// A cluster gives every pod variables for the services beside it, of this form; a service named pagoda-something must
// not make every config invalid.
var serviceLink = regexp.MustCompile(
	`_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

// fromEnvironment picks the variables that set keys. An empty variable is as good as none, as is the custom of shells.
func fromEnvironment(environ []string) ([]raw, error) {
	var given []raw
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		key, ours := strings.CutPrefix(name, EnvPrefix)
		if !ours || value == "" || serviceLink.MatchString(name) {
			continue
		}
		if key != strings.ToUpper(key) {
			return nil, &Error{Where: name, Err: errors.New("not in capitals"),
				Hint: "write " + EnvPrefix + strings.ToUpper(key)}
		}
		given = append(given, raw{strings.ToLower(key), value, FromEnvironment, name})
	}
	// The environment has no order of its own; errors should not depend on it.
	slices.SortFunc(given, func(a, b raw) int { return strings.Compare(a.key, b.key) })
	return given, nil
}
