package rundir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
)

func identity(name string, params ...string) (id puzzle.Identity) {
	id.Puzzle = name
	for i := 0; i < len(params); i += 2 {
		id.Params = append(id.Params, puzzle.Param{Name: params[i], Value: params[i+1]})
	}
	return id
}

// TestCompare names the first parameter that differs, with both values.
func TestCompare(t *testing.T) {
	one := identity("p", "a", "1", "b", "2")
	for _, test := range []struct {
		have, want puzzle.Identity
		text       string
	}{
		{one, one, ""},
		{one, identity("q", "a", "1", "b", "2"), `puzzle is "p" there, "q" here`},
		{one, identity("p", "a", "1", "b", "3"), `b is "2" there, "3" here`},
		{one, identity("p", "a", "1"), `b is "2" there, absent here`},
		{identity("p"), one, `a is absent there, "1" here`},
		{one, identity("p", "a", "1", "c", "3"), `b is "2" there, absent here`},
		{one, identity("p", "a", "1", "c", "2"), `b is "2" there, absent here`},
		{identity("p", "b", "2"), one, `a is absent there, "1" here`},
	} {
		err := Compare(test.have, test.want)
		var differs *DiffersError
		differ := errors.As(err, &differs)
		if differ != (test.text != "") || differ && !strings.HasSuffix(err.Error(), ": "+test.text) {
			t.Errorf("%v, %v: %v, want %q", test.have, test.want, err, test.text)
		}
		if same := RunID(test.have) == RunID(test.want); same != (err == nil) || !ValidID(RunID(test.want)) {
			t.Errorf("%v, %v: run %s", test.have, test.want, RunID(test.want))
		}
	}
	// The ID is part of the format: folders and subjects carry it.
	if got := RunID(identity("peg", "board", "english", "start", "center")); got != "b2f596b85c99" {
		t.Errorf("the ID of a run is now %s", got)
	}
	// The same letters, cut into name and value elsewhere, are another run.
	if RunID(identity("p", "ab", "c")) == RunID(identity("p", "a", "bc")) {
		t.Error("two runs have one ID")
	}
	for id, want := range map[string]bool{
		"0123456789ab": true, "0123456789a": false, "0123456789abc": false, "0123456789aB": false,
	} {
		if ValidID(id) != want {
			t.Errorf("%s is the ID of a run: %t", id, !want)
		}
	}
}

// TestCheckFolder looks at folders of all kinds, and at those with a damaged run.json.
func TestCheckFolder(t *testing.T) {
	used := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(used, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := checkEmpty(used); err == nil {
		t.Error("a file can hold a run")
	}
	m := testMeta()
	meta := func(dir string, m Meta) error {
		return errors.Join(os.MkdirAll(dir, 0o700), m.write(dir))
	}
	file := func(name string) func(string) error {
		return func(dir string) error {
			return errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600))
		}
	}
	databases := func(change func(dir string) error) func(string) error {
		return func(dir string) error {
			f, err := Create(dir, m, FolderOptions{})
			if err != nil {
				return err
			}
			return errors.Join(f.Close(), change(dir))
		}
	}
	ruin := func(name string) func(string) error {
		return func(dir string) error { return spoil(filepath.Join(dir, name)) }
	}
	all := func(list ...func(string) error) func(string) error {
		return func(dir string) (err error) {
			for _, change := range list {
				err = errors.Join(err, change(dir))
			}
			return err
		}
	}
	noMeta := func(dir string) error { return os.Remove(filepath.Join(dir, metaName)) }
	remove := func(name string) func(string) error {
		return func(dir string) error { return os.RemoveAll(filepath.Join(dir, name)) }
	}
	var differs *DiffersError
	is := func(target error) func(error) bool {
		return func(err error) bool { return errors.Is(err, target) }
	}
	for name, test := range map[string]struct {
		put    func(dir string) error
		resume bool
		is     func(error) bool // nil: no error
	}{
		"absent":    {func(string) error { return nil }, false, nil},
		"empty":     {func(dir string) error { return os.Mkdir(dir, 0o700) }, false, nil},
		"half made": {file(metaName + ".tmp"), false, nil},
		"foreign":   {file("letter"), false, is(ErrOccupied)},
		"half made, and foreign": {all(file(metaName+".tmp"), func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "sonnet"), nil, 0o600)
		}), false, is(ErrOccupied)},
		"a file":  {func(dir string) error { return os.WriteFile(dir, nil, 0o600) }, false, is(syscall.ENOTDIR)},
		"the run": {func(dir string) error { return meta(dir, m) }, true, nil},
		"another run": {func(dir string) error {
			return meta(dir, NewMeta(identity("peg"), ""))
		}, false, func(err error) bool {
			return errors.As(err, &differs) &&
				strings.HasPrefix(err.Error(), differs.Dir+": belongs to another run: board is absent")
		}},
		"another format": {func(dir string) error {
			other := m
			other.Format++
			return meta(dir, other)
		}, false, func(err error) bool {
			return errors.Is(err, kv.ErrFormat) && strings.Contains(err.Error(), fmt.Sprint(kv.FormatVersion+1))
		}},
		"without run.json":             {databases(noMeta), true, nil},
		"a foreign file for run.json":  {file(metaName), true, is(ErrOccupied)},
		"its ledger is damaged":        {databases(ruin(ledgerName)), true, nil},
		"and run.json missing":         {databases(all(ruin(ledgerName), noMeta)), true, nil},
		"only a bad ledger":            {databases(all(ruin(ledgerName), noMeta, remove(storeName))), true, is(ErrOccupied)},
		"only a ledger":                {databases(all(noMeta, remove(storeName))), true, nil},
		"only a store":                 {databases(all(noMeta, remove(ledgerName))), true, nil},
		"only a bad one, bad run.json": {databases(all(ruin(ledgerName), file(metaName), remove(storeName))), true, nil},
	} {
		dir := filepath.Join(t.TempDir(), "d")
		if err := test.put(dir); err != nil {
			t.Fatal(err)
		}
		resume, err := CheckFolder(dir, m)
		if resume != test.resume || (err == nil) != (test.is == nil) || err != nil && !test.is(err) {
			t.Errorf("%s: resume %t, %v", name, resume, err)
		}
	}
}
