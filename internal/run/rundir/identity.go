package rundir

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
)

var idForm = regexp.MustCompile(`^[0-9a-f]{12}$`)

// ValidID reports whether a text can be the ID of a run. The name of its data folder is longer.
func ValidID(s string) bool { return idForm.MatchString(s) }

// RunID names the run of an identity: 12 hexadecimal digits of the SHA-256 of puzzle, parameters and format version.
func RunID(id puzzle.Identity) string {
	h := sha256.New()
	// Every text is preceded by its length, so that no two identities are written alike.
	write := func(s string) {
		h.Write(binary.AppendUvarint(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	write(fmt.Sprintf("pagoda run, format %d", kv.FormatVersion))
	write(id.Puzzle)
	for _, p := range id.Params {
		write(p.Name)
		write(p.Value)
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// As returns the puzzle of that run: p itself, or that of earlier programs of the same settings. The ID proves which.
// Where it is that of neither, As returns p.
func As(p puzzle.Puzzle, run string) (puzzle.Puzzle, error) {
	r, ok := p.(puzzle.Revised)
	if !ok || RunID(p.Identity()) == run || RunID(r.EarlierIdentity()) != run {
		return p, nil
	}
	return r.Earlier()
}

// A DiffersError says that a data folder belongs to a run with other parameters, and names the first that differs.
type DiffersError struct {
	Dir  string
	Name string // "puzzle", or the name of the parameter
	Have string // the folder's value, "" when it has none
	Want string // the value asked for, "" when there is none
}

func (e *DiffersError) Error() string {
	return fmt.Sprintf("%s: belongs to another run: %s is %s there, %s here",
		e.Dir, e.Name, quoteOrNone(e.Have), quoteOrNone(e.Want))
}

func quoteOrNone(s string) string {
	if s == "" {
		return "absent"
	}
	return fmt.Sprintf("%q", s)
}

// Compare returns a *DiffersError (without its Dir) that names the first parameter in which the identities differ, and
// nil when they are one.
func Compare(have, want puzzle.Identity) error {
	if have.Puzzle != want.Puzzle {
		return &DiffersError{Name: "puzzle", Have: have.Puzzle, Want: want.Puzzle}
	}
	for i := range max(len(have.Params), len(want.Params)) {
		switch {
		case i >= len(have.Params):
			return &DiffersError{Name: want.Params[i].Name, Want: want.Params[i].Value}
		case i >= len(want.Params):
			return &DiffersError{Name: have.Params[i].Name, Have: have.Params[i].Value}
		case have.Params[i].Name != want.Params[i].Name && !named(want.Params, have.Params[i].Name):
			return &DiffersError{Name: have.Params[i].Name, Have: have.Params[i].Value}
		case have.Params[i].Name != want.Params[i].Name:
			return &DiffersError{Name: want.Params[i].Name, Want: want.Params[i].Value}
		case have.Params[i].Value != want.Params[i].Value:
			return &DiffersError{
				Name: want.Params[i].Name, Have: have.Params[i].Value, Want: want.Params[i].Value,
			}
		}
	}
	return nil
}

// named reports whether a parameter is among params.
func named(params []puzzle.Param, name string) bool {
	return slices.ContainsFunc(params, func(p puzzle.Param) bool { return p.Name == name })
}
