package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pagoda/internal/app/cli"
	"pagoda/internal/kv"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/life"
)

// lifeFlags are the flags of life.
type lifeFlags struct{ data, run, output string }

func (a *app) lifeCommand() *cobra.Command {
	var f lifeFlags
	cmd := &cobra.Command{
		Use:   "life WINDOW [LOG...]",
		Short: "say what happened to a window: which workers computed it, when and why, and which hold it",
		Long: `Say what happened to a window, LAYER/CELL/PART: which workers were given it, computed, reported, copied, held
and lost it, when, and why it was computed again.

The ledger in the folder --data names the workers that have computed the window and those that hold it. All else is in
the logs of the coordinator and the workers, in the form json or text: files, or - for stdin. A log of --log-level debug
has all of it; one of --log-level info has failures and lost workers alone. The folder of a run that goes on is in use:
leave --data out then, and the logs alone are read.`,
		Example: `  coordinator life 7/12.8.8.4/0 coordinator.log w1.log w2.log --data runs/english-0123456789ab
  cat *.log | coordinator life 7/12.8.8.4/0 -
  coordinator life 7/12.8.8.4/0 --data runs/english-0123456789ab`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no window is given")
			}
			return nil
		},
		RunE: a.action(func(ctx context.Context, args []string) error { return a.life(ctx, &f, args[0], args[1:]) }),
	}
	cmd.Flags().StringVar(&f.data, "data", "", "data `folder` of the run")
	cmd.Flags().StringVar(&f.run, "run", "", "`ID` of the run, where the logs are of several and there is no folder")
	addOutput(cmd, &f.output)
	if err := cmd.MarkFlagDirname("data"); err != nil {
		panic(err) // the flag is defined above
	}
	return cmd
}

const listsWindows = "export --table windows lists the windows"

// lifeDocument is the answer of life. Its JSON form is a contract, described in docs/cli.md.
type lifeDocument struct {
	Run    string     `json:"run"`
	Window string     `json:"window"`
	Ledger *onRecord  `json:"ledger,omitempty"` // nil: no folder was given
	Logs   *logTally  `json:"logs,omitempty"`   // nil: no log was given
	Life   *life.Life `json:"-"`                // nil: as Logs; all below is made of it

	Held         []string        `json:"held_by,omitempty"`
	Assigned     []string        `json:"assigned_to,omitempty"`
	Computations []lifeStep      `json:"computations,omitempty"`
	Events       []lifeStep      `json:"events,omitempty"`
	id           puzzle.WindowID // of Window
}

// lifeStep is a computation or an event.
type lifeStep struct {
	Time    time.Time `json:"time"`
	Event   life.Kind `json:"event,omitempty"` // none: a computation
	Worker  string    `json:"worker,omitempty"`
	Seconds float64   `json:"seconds,omitempty"`
	Why     string    `json:"why,omitempty"`
}

// tell adds the life.
func (d *lifeDocument) tell(l *life.Life) {
	d.Life, d.Held, d.Assigned = l, l.Held, l.Assigned
	for i := range l.Computations {
		c := &l.Computations[i]
		d.Computations = append(d.Computations, lifeStep{
			Time: c.Time, Worker: c.Worker, Seconds: c.Took.Seconds(), Why: c.Why,
		})
	}
	for i := range l.Events {
		e := &l.Events[i]
		d.Events = append(d.Events, lifeStep{e.Time, e.Kind, e.Worker, e.Took.Seconds(), e.Reason()})
	}
}

// onRecord is the entry of a ledger about a window.
type onRecord struct {
	First      uint64   `json:"first"`
	Addresses  uint64   `json:"addresses"`
	Committed  bool     `json:"committed"`
	Rows       uint64   `json:"rows"`
	Bytes      uint64   `json:"bytes"`
	Digest     string   `json:"digest,omitempty"`
	ComputedBy []string `json:"computed_by"`
	HeldBy     []string `json:"held_by"`
	AuditDue   bool     `json:"audit_due"`
	// Refused are the workers that have reported the window wrongly.
	Refused []kv.Refusal `json:"refused,omitempty"`
}

func (a *app) life(ctx context.Context, f *lifeFlags, window string, logs []string) error {
	if err := checkOutput(f.output); err != nil {
		return err
	}
	id, err := puzzle.ParseWindowID(window)
	if err != nil {
		return usage(err.Error(), listsWindows)
	}
	switch {
	case f.data == "" && len(logs) == 0:
		return usage("neither a log nor --data is given", "name the logs of the run, its data folder, or both")
	case f.data != "" && f.run != "":
		return usage("--data and --run exclude each other", "the folder knows its run")
	}
	d := lifeDocument{Run: f.run, Window: id.String(), id: id}
	if f.data != "" {
		if err := a.recorded(ctx, f.data, &d); err != nil {
			return err
		}
	}
	if len(logs) > 0 {
		read, err := await(ctx, func() (*readLogs, error) { return readAll(ctx, logs) })
		if err != nil {
			return err
		}
		if d.Run, err = read.choose(d.Run); err != nil {
			return err
		}
		l := life.Of(id, read.events[d.Run])
		d.Logs = read.tally(d.Run)
		d.tell(&l)
	}
	if f.output == render.JSON {
		return a.printJSON(&d)
	}
	return a.print(d.text(a.style()))
}

// recorded reads the ledger of a folder.
func (a *app) recorded(ctx context.Context, dir string, d *lifeDocument) error {
	s, err := a.loader().Results(ctx, dir)
	if errors.Is(err, kv.ErrLocked) {
		return cli.Hint(err, "leave --data out and name the logs of the run; status works meanwhile")
	}
	if err != nil {
		return err
	}
	defer s.Close()
	d.Run = s.ID
	cell, _, err := s.Results.Window(d.id)
	if err != nil {
		return usage(fmt.Sprintf("run %s has no window %s", s.ID, d.Window), listsWindows)
	}
	w := cell.Window(d.id.Part)
	r := &onRecord{First: w.First, Addresses: w.Addresses, ComputedBy: []string{}, HeldBy: []string{}}
	d.Ledger = r
	l := s.Folder.Ledger
	e, found, err := l.Entry(d.id)
	if err != nil {
		return err
	}
	if found {
		r.Committed, r.Rows, r.Bytes, r.Digest = true, e.Record.Rows, e.Record.Bytes, e.Record.Digest.String()
		r.ComputedBy, r.HeldBy = append(r.ComputedBy, e.By...), append(r.HeldBy, e.Holders...)
	}
	due, err := l.AuditsDue()
	if err != nil {
		return err
	}
	r.AuditDue = slices.Contains(due, d.id)
	refused, err := l.Refused()
	for _, b := range refused {
		if b.Window == d.Window {
			r.Refused = append(r.Refused, b)
		}
	}
	return err
}

// choose returns the run whose lines count: the given one, or where none is the one that the logs are of.
func (r *readLogs) choose(run string) (string, error) {
	all := r.runs()
	switch {
	case r.Lines > 0 && r.Unreadable == r.Lines:
		return "", usage(fmt.Sprintf("%s: no line is one of a log in the form json or text", strings.Join(r.Files, ", ")),
			"--log-format json of both programs writes such a log")
	case run != "" && len(all) > 0 && !slices.Contains(all, run):
		return "", usage(fmt.Sprintf("no line of the logs is about run %s: they are about %s", run, strings.Join(all, ", ")),
			"name the logs of that run")
	case run != "":
		return run, nil
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0:
		return "", usage("no line of the logs is about a run", "name the logs of its coordinator and workers")
	}
	return "", usage("the logs are about several runs: "+strings.Join(all, ", "), "add --run "+all[0])
}
