// Package batch carries out many runs as one: a base config with a matrix of keys, and further configs. Every member is
// a run like any other, in a folder of its own below the folder of the batch, so that all commands open it. The state
// of a batch is that of its folders, and a list of the members that have failed.
package batch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/config"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/run/rundir"
)

// A Batch is a list of runs.
type Batch struct {
	Name    string
	Dir     string   // the folder of the batch
	Keys    []string // of the matrix
	AtATime int      // members that are carried out at the same time
	// MemoryLimit bounds the process where several members are under way; each has its share of it.
	MemoryLimit uint64
	Members     []*Member

	loader runs.Loader
	path   string // of its file
}

// A Member is one run of a batch.
type Member struct {
	Name   string
	At     string   // its place in the file
	Values []string // of the keys of the matrix; "" where the puzzle has no such key
	ID     string   // of the run
	Dir    string   // its data folder
	Config *config.Config

	identity puzzle.Identity
	make     func(context.Context) (*runs.Job, error)
	told     atomic.Pointer[Standing] // of the complete member, with its result
}

// Job makes the run of a member. A batch keeps none: the puzzles of hundreds would take gigabytes.
func (m *Member) Job(ctx context.Context) (*runs.Job, error) { return m.make(ctx) }

var memberName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// Load reads a batch, and makes the puzzle of every member. dir is the folder of the batch, "" for its default. given
// are settings of all members, which stand above those of the file. Whatever is wrong with any member is an error.
func Load(
	ctx context.Context, loader runs.Loader, path, dir string, given ...config.Override,
) (*Batch, error) {
	f, err := cli.Await(ctx, func() (*file, error) { return read(path) })
	if err != nil {
		return nil, err
	}
	combinations, err := f.matrix.expand()
	if err != nil {
		return nil, err
	}
	if len(combinations)+len(f.configs) == 0 {
		return nil, &config.Error{Where: f.matrix.at, Err: errors.New("the matrix is empty: everything is excluded"),
			Hint: "remove an entry of exclude"}
	}
	b := &Batch{Name: config.NameFromPath(path), Dir: dir, Keys: f.matrix.columns(), AtATime: f.atATime, loader: loader,
		path: path}
	if b.Dir == "" {
		b.Dir = filepath.Join("runs", b.Name)
	}
	l := &memberLoader{Loader: loader, file: f, batch: b, given: given}
	for i := range combinations {
		c := &combinations[i]
		if err := l.add(ctx, c.name(), c.at, f.base, c.keys); err != nil {
			return nil, err
		}
	}
	for _, c := range f.configs {
		if err := l.add(ctx, config.NameFromPath(c.text), c.at, c.text, nil); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// A memberLoader adds members to a batch.
type memberLoader struct {
	runs.Loader
	file  *file
	batch *Batch
	given []config.Override
}

// add makes a member. path is that of its config, "" where the keys of the base are in the batch.
func (l *memberLoader) add(ctx context.Context, name, at, path string, keys []config.Override) error {
	if !memberName.MatchString(name) {
		return &config.Error{Where: at, Err: fmt.Errorf("%s is no name for a member", setting.Quote(name)),
			Hint: "give it a name of lower-case letters, digits, - and _ with the key name in an entry of include"}
	}
	for _, other := range l.batch.Members {
		if other.Name == name {
			return &config.Error{Where: at, Err: fmt.Errorf("the member would be named %s, like that of %s", name, other.At),
				Hint: "give one of them another name with the key name in an entry of include"}
		}
	}
	m := &Member{Name: name, At: at}
	keys = slices.DeleteFunc(slices.Clone(keys), func(k config.Override) bool { return k.Key == nameKey })
	keys = append(keys, config.Override{Key: nameKey, Value: name, Flag: at},
		config.Override{Key: "data_dir", Value: filepath.Join(l.batch.Dir, name), Flag: "--data"})
	for _, k := range l.given {
		keys = with(keys, k)
	}
	job, err := l.load(ctx, path, keys)
	given := keys
	if err == nil && l.batch.AtATime > 1 {
		l.batch.MemoryLimit = max(l.batch.MemoryLimit, job.Config.Uint("memory_limit_bytes"))
		given = l.share(job.Config, keys)
		job, err = l.load(ctx, path, given)
	}
	if err != nil {
		return m.locate(err, l.file.path)
	}
	m.ID, m.Dir, m.Config, m.identity = job.ID, job.Dir, job.Config, job.Puzzle.Identity()
	m.make = func(ctx context.Context) (*runs.Job, error) { return l.load(ctx, path, given) }
	for _, other := range l.batch.Members {
		if other.ID == m.ID {
			return &config.Error{Where: at, Err: fmt.Errorf("member %s is the same run as %s of %s: %s", name, other.Name,
				other.At, m.ID), Hint: "leave one of them out; keys such as retention do not make another run"}
		}
	}
	for _, key := range l.batch.Keys {
		m.Values = append(m.Values, shown(m.Config, key, keys))
	}
	l.batch.Members = append(l.batch.Members, m)
	return nil
}

func (l *memberLoader) load(ctx context.Context, path string, overrides []config.Override) (*runs.Job, error) {
	if path == "" {
		return l.LoadKeys(ctx, l.file.path, l.file.keys, overrides)
	}
	return l.Load(ctx, path, overrides)
}

// CheckAlone returns an error if a member leaves its windows or rows to other processes.
func (b *Batch) CheckAlone() error {
	for _, m := range b.Members {
		var lack *setting.Error
		switch {
		case m.Config.Uint("concurrency") == 0:
			lack = &setting.Error{Setting: "concurrency",
				Err:  errors.New("0 leaves all windows to worker processes, and they cannot reach this batch"),
				Hint: "add --listen or --nats, or give --concurrency 1 or more"}
		case m.Config.Text("archive") != "":
			lack = &setting.Error{Setting: "archive",
				Err:  errors.New("a batch in one process has its rows beside its ledgers, and no archive"),
				Hint: "add --listen or --nats, or leave it out"}
		default:
			continue
		}
		return m.locate(m.Config.Locate(lack), b.path)
	}
	return nil
}

// Computes reports whether this process computes windows of a member itself.
func (b *Batch) Computes() bool {
	return slices.ContainsFunc(b.Members, func(m *Member) bool { return m.Config.Uint("concurrency") > 0 })
}

// leastMemory is the least memory limit that a run may have.
const leastMemory = 64 << 20

// with puts a setting in the place of the one that it overrides.
func with(keys []config.Override, given config.Override) []config.Override {
	keys = slices.DeleteFunc(slices.Clone(keys), func(k config.Override) bool { return k.Key == given.Key })
	return append(keys, given)
}

// share gives each of the members that are carried out at the same time its part of the memory and of the windows that
// this process computes at a time. Of none there is no part.
func (l *memberLoader) share(c *config.Config, keys []config.Override) []config.Override {
	n := uint64(l.batch.AtATime)
	for key, part := range map[string]uint64{
		"concurrency":        max(1, c.Uint("concurrency")/n),
		"memory_limit_bytes": max(leastMemory, c.Uint("memory_limit_bytes")/n),
	} {
		if c.Uint(key) == 0 {
			continue
		}
		keys = with(keys, config.Override{Key: key, Value: strconv.FormatUint(part, 10), Flag: "at_a_time"})
	}
	return keys
}

// locate makes the error of a member one that says its place in the batch at path.
func (m *Member) locate(err error, path string) error {
	var e *config.Error
	switch {
	case !errors.As(err, &e):
		if cli.Code(err) == cli.Interrupted || cli.Code(err) == cli.Stopped {
			return err
		}
	case regexp.MustCompile(`^` + regexp.QuoteMeta(path) + `:\d+$`).MatchString(e.Where), strings.HasPrefix(e.Where, "--"):
		return err
	}
	return &config.Error{Where: m.At, Err: fmt.Errorf("member %s: %w", m.Name, err), Hint: cli.Advice(err)}
}

// shown is the value that a member has of a key of the matrix, as the file has it.
func shown(c *config.Config, key string, keys []config.Override) string {
	for _, k := range keys {
		if k.Key == key {
			return k.Value
		}
	}
	for _, s := range c.Settings() {
		if s.Setting.Name == key {
			return s.Value
		}
	}
	return ""
}

// check says whether every folder can have its run. It changes nothing.
func (b *Batch) check() error {
	if rundir.Holds(b.Dir) {
		return cli.Hint(&cli.UsageError{Err: fmt.Errorf("%s is the data folder of a run, and no folder of a batch", b.Dir)},
			"choose another folder with --data")
	}
	for _, m := range b.Members {
		if _, err := rundir.CheckFolder(m.Dir, rundir.NewMeta(m.identity, "")); err != nil {
			return cli.AdviseFolder(err, m.Dir)
		}
	}
	return nil
}
