package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode"

	"pagoda/internal/output/render"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/quantity"
	"pagoda/internal/run/life"
)

// text is the document for people.
func (d *lifeDocument) text(style render.Style) []byte {
	s := render.Sheet{Style: style}
	s.Columns()
	s.Printf("run\t%s\nwindow\t%s\n", d.Run, d.Window)
	d.Ledger.show(&s)
	d.Logs.show(&s)
	if l := d.Life; l != nil {
		computed := plural.Of(len(l.Computations), "time")
		if !d.Logs.Debug {
			computed += " or more"
		}
		s.Printf("by the logs\tcomputed %s", computed)
		if len(l.Held) > 0 {
			s.Printf(", held by %s", strings.Join(l.Held, ", "))
		}
		if len(l.Assigned) > 0 {
			s.Printf(", given to %s", names(l.Assigned))
		}
		s.Printf("\n")
		showComputations(&s, l.Computations)
		showEvents(&s, l.Events)
	}
	s.Flush()
	for _, n := range d.notes() {
		s.Printf("\nnote: %s\n", n)
	}
	return s.Bytes()
}

// show shows what a ledger has.
func (r *onRecord) show(s *render.Sheet) {
	if r == nil {
		return
	}
	s.Printf("addresses\t%s from %s\n", s.Number(r.Addresses), s.Number(r.First))
	if !r.Committed {
		s.Printf("ledger\tnot committed\n")
	} else {
		s.Printf("rows\t%s, %s, digest %s\n", s.Number(r.Rows), quantity.Bytes(r.Bytes), r.Digest)
		s.Printf("computed by\t%s, on record\n", cmp.Or(strings.Join(r.ComputedBy, ", "), "no worker"))
		held := "no worker, on record"
		if len(r.HeldBy) > 0 {
			held = strings.Join(r.HeldBy, ", ") + ", on record; workers that were lost since are among them"
		}
		s.Printf("held by\t%s\n", held)
	}
	if r.AuditDue {
		s.Printf("audit\tdue\n")
	}
	for _, b := range r.Refused {
		s.Printf("refused\t%s: %s\n", b.Worker, printable(b.Reason))
	}
}

// show shows what was read of logs.
func (t *logTally) show(s *render.Sheet) {
	if t == nil {
		return
	}
	s.Printf("logs\t%s, %s", s.Of(len(t.Files), "file"), s.Of(t.Lines, "line"))
	if t.OtherRuns > 0 {
		s.Printf(", %s of them about other runs", s.Number(t.OtherRuns))
	}
	if t.Unreadable > 0 {
		s.Printf(", %s of them not readable: %s", s.Number(t.Unreadable), printable(t.FirstUnreadable))
	}
	s.Printf("\n")
}

const timeForm = "2006-01-02T15:04:05.000Z"

func showComputations(s *render.Sheet, list []life.Computation) {
	if len(list) == 0 {
		return
	}
	s.Columns()
	s.Printf("\ncomputed\tworker\ttook\twhy\n")
	for _, c := range list {
		s.Printf("%s\t%s\t%s\t%s\n", c.Time.UTC().Format(timeForm), printable(c.Worker), lasted(c.Took), printable(c.Why))
	}
}

func showEvents(s *render.Sheet, list []life.Event) {
	if len(list) == 0 {
		return
	}
	s.Columns()
	s.Printf("\ntime\tevent\tworker\ttook\twhy\n")
	for i := range list {
		e := &list[i]
		who := printable(e.Worker)
		if e.Kind == life.Assigned {
			who = names([]string{e.Worker})
		}
		row := []string{e.Time.UTC().Format(timeForm), string(e.Kind), who, lasted(e.Took), printable(e.Reason())}
		for len(row[len(row)-1]) == 0 {
			row = row[:len(row)-1] // no line ends with blanks
		}
		s.Printf("%s\n", strings.Join(row, "\t"))
	}
}

// names lists workers that have a window in hand.
func names(list []string) string {
	var out []string
	for _, name := range list {
		out = append(out, cmp.Or(printable(name), "any worker"))
	}
	return strings.Join(out, ", ")
}

func lasted(d time.Duration) string {
	switch {
	case d == 0:
		return ""
	case d > time.Second:
		d = d.Round(10 * time.Millisecond)
	case d > time.Millisecond:
		d = d.Round(10 * time.Microsecond)
	}
	return d.String()
}

// printable is a text of a log in one line, without what would move a terminal's cursor.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}

// notes say what is missing.
func (d *lifeDocument) notes() (list []string) {
	switch {
	case d.Logs == nil:
		return []string{"only the logs of coordinator and workers say when, and why it was computed again"}
	case !d.Logs.Debug:
		list = append(list, "the logs have no line of level debug about this run: which workers were given the window and "+
			"computed it is missing; --log-level debug of both programs adds it")
	}
	if len(d.Life.Events) == 0 {
		list = append(list, fmt.Sprintf("the logs say nothing of window %s", d.Window))
	}
	return list
}
