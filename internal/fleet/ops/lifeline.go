package ops

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/life"
)

// kinds are the messages that belong to lives of windows.
var kinds = map[string]life.Kind{
	MsgAssigned: life.Assigned, MsgTaken: life.Taken, MsgComputed: life.Computed, MsgReported: life.Reported,
	MsgCommitted: life.Committed, MsgAudited: life.Audited, MsgCopied: life.Copied, MsgDropped: life.Dropped,
	MsgRetried: life.Retried, MsgSetAside: life.SetAside, MsgLost: life.Lost, MsgFailed: life.Failed,
	MsgRefused: life.Refused,

	MsgJoined: life.Joined, MsgLeft: life.Left, MsgGone: life.Gone, MsgUnserved: life.Unserved, MsgStalled: life.Stalled,

	MsgRun: life.Began, MsgResent: life.Resent, MsgAbsent: life.Absent, MsgArchiveLost: life.ArchiveLost,
}

// LifeEvent returns what a line says of the life of a window. is is false where it says nothing. The error says that it
// is none that the programs write.
func (l *Line) LifeEvent() (e life.Event, is bool, err error) {
	e.Kind, is = kinds[l.Message]
	if !is || l.Message == MsgRun && l.Attrs[WorkerKey] != "" { // a worker that begins with the run
		return life.Event{}, false, nil
	}
	e.Time, e.Worker = l.Time, l.Attrs[WorkerKey]
	e.Audit, e.Copy, e.Reused = l.Attrs[AuditKey] == "true", l.Attrs[CopyKey] == "true", l.Attrs[ReusedKey] == "true"
	if l.Attrs[HoldsKey] == "true" {
		e.Held = 1
	}
	if text := l.Attrs[HeldKey]; text != "" {
		if e.Held, err = strconv.Atoi(text); err != nil {
			return life.Event{}, false, fmt.Errorf("%s is %.40q", HeldKey, text)
		}
	}
	if text := l.Attrs[TookKey]; text != "" {
		if e.Took, err = took(text); err != nil {
			return life.Event{}, false, err
		}
	}
	if text := l.Attrs[WindowKey]; text != "" {
		if e.Window, err = puzzle.ParseWindowID(text); err != nil {
			return life.Event{}, false, err
		}
	}
	if e.AboutWindow() != (e.Window != puzzle.WindowID{}) {
		return life.Event{}, false, fmt.Errorf("%q and window %.40q", l.Message, l.Attrs[WindowKey])
	}
	e.Why = l.why()
	return e, true, nil
}

// took reads a duration of either form.
func took(text string) (time.Duration, error) {
	if ns, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.Duration(ns), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%s is %.40q", TookKey, text)
	}
	return d, nil
}

// whys are the attributes that say why, or more closely what, with the words before their values.
var whys = []struct{ key, words string }{
	{ErrorKey, ""}, {CauseKey, ""}, {ReasonKey, ""}, {AttemptKey, "attempt "}, {"attempts", "attempts: "},
	{"silent", "silent for "}, {HeldKey, "windows held: "}, {LostKey, "windows without a holder: "},
	{AgainKey, "computed again: "}, {"tasks", "tasks: "}, {"epoch", "epoch "},
}

// why returns the explanation of a line.
func (l *Line) why() string {
	var parts []string
	for _, w := range whys {
		text := l.Attrs[w.key]
		if text == "" || text == "0" {
			continue
		}
		if w.key == "silent" {
			if d, err := took(text); err == nil {
				text = d.Round(time.Millisecond).String()
			}
		}
		parts = append(parts, w.words+text)
	}
	return strings.Join(parts, ", ")
}
