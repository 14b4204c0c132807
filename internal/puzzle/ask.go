package puzzle

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
)

// A NotAskedError says why a run does not answer a question, and which would. It wraps ErrNotAsked.
type NotAskedError struct {
	Reason string // such as "it keeps no rows of positions"
	Hint   string // such as "run its config with --set count=positions, in a new folder"
}

func (e *NotAskedError) Error() string { return ErrNotAsked.Error() + ": " + e.Reason }

// Unwrap makes errors.Is(err, ErrNotAsked) hold.
func (e *NotAskedError) Unwrap() error { return ErrNotAsked }

// Advice returns what to do, in one line.
func (e *NotAskedError) Advice() string { return e.Hint }

// Question returns the question of that name, nil when there is none.
func (d *Definition) Question(name string) *Question {
	for i := range d.Questions {
		if d.Questions[i].Name == name {
			return &d.Questions[i]
		}
	}
	return nil
}

// Usage is the question with its arguments, such as "query POSITION" or "solve GRID [FINAL]".
func (q *Question) Usage() string {
	var b strings.Builder
	b.WriteString(q.Name)
	for _, a := range q.Args {
		name := a.Name
		if a.Repeated {
			name += "..."
		}
		if a.Optional {
			name = "[" + name + "]"
		}
		b.WriteString(" " + name)
	}
	return b.String()
}

// CheckArgs returns an error when the number of arguments is wrong, or when one is not among its choices.
func (q *Question) CheckArgs(args []string) error {
	least, most := 0, len(q.Args)
	for _, a := range q.Args {
		if !a.Optional {
			least++
		}
		if a.Repeated {
			most = max(most, len(args))
		}
	}
	switch {
	case len(args) < least:
		return fmt.Errorf("no %s is given", q.Args[len(args)].Name)
	case len(args) > most && most == 0:
		return errors.New("no argument is wanted, and " + given(len(args)))
	case len(args) > most:
		return errors.New("at most " + plural.Of(most, "argument") + " can be used, and " + given(len(args)))
	}
	for i, text := range args {
		if a := q.Args[min(i, len(q.Args)-1)]; a.Choices != nil && !slices.Contains(a.Choices, text) {
			return &setting.Error{Setting: a.Name, Hint: a.Doc,
				Err: fmt.Errorf("%s is not one of %s", setting.Quote(text), setting.List(a.Choices))}
		}
	}
	return nil
}

func given(n int) string {
	if n == 1 {
		return "1 is given"
	}
	return fmt.Sprint(n) + " are given"
}

// Request checks arguments and flags, by their names, and fills in the defaults of the other flags. The caller adds the
// run that the question needs. Errors about one argument or flag are *setting.Error.
func (q *Question) Request(args []string, flags map[string]string) (Request, error) {
	if err := q.CheckArgs(args); err != nil {
		return Request{}, err
	}
	var names []string
	for i := range q.Flags {
		names = append(names, q.Flags[i].Name)
	}
	for name := range flags {
		if !slices.Contains(names, name) {
			return Request{}, &setting.Error{Setting: name, Err: fmt.Errorf("question %s has no such flag", q.Name),
				Hint: "it has " + setting.List(names)}
		}
	}
	set, err := setting.NewSet(q.Flags, flags)
	return Request{Args: args, Flags: set}, err
}
