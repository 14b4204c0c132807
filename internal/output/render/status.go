package render

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/quantity"
	"pagoda/internal/run/status"
)

// Status is a status as a text: a table of the layers, and below it the facts about the run and its workers.
func Status(st *status.Status, style Style) []byte {
	s := Sheet{Style: style}
	s.Numbers()
	s.Printf("layer\twindows\tdone\trows\tbytes\t\n")
	for _, l := range st.Layers {
		s.Printf("%d\t%s\t%s\t%s\t%s\t\n", l.Layer, s.Number(l.Windows), s.Number(l.Done), s.Number(l.Rows),
			s.Number(l.Bytes))
	}
	s.Columns()
	s.Printf("\nrun\t%s\npuzzle\t%s\nstate\t%s\n", st.Run, st.Puzzle, s.state(st.State))
	if st.Error != "" {
		s.Printf("error\t%s\n", st.Error)
	}
	more := ""
	if !st.Planned {
		more = " planned so far"
	}
	s.Printf("windows\t%s of %s%s\nrows\t%s\ndisk\t%s\n", s.Number(st.Done), s.Number(st.Windows), more,
		s.Number(st.Rows), quantity.Bytes(st.Bytes))
	if w := st.Words; w != nil && st.Done > 0 {
		s.Printf("computed by\t%s\n", w)
	}
	if text := audits(st); text != "" {
		s.Printf("audits\t%s\n", text)
	}
	if st.Unexported {
		s.Printf("export\tnot done\n")
	}
	if live(st) {
		s.Printf("concurrency\t%d\nrunning for\t%s\n", st.Concurrency, st.Updated.Sub(st.Started).Round(time.Second))
		s.Printf("computed\t%s, %s, %s\n", s.Of(st.Committed, "window"), s.Of(st.NewRows, "row"), s.rate(st))
		s.Printf("left\t%s\n", left(st))
		if w := st.Waiting; w != nil {
			s.Printf("waiting\tfor %s, for %s\n", w.For, quantity.Duration(st.Updated.Sub(w.Since).Seconds()))
		}
		if st.Again > 0 {
			s.Printf("again\t%s to be computed again, whose rows are lost\n", plural.Of(st.Again, "window"))
		}
		s.Printf("trouble\t%s, %s lost\n", plural.Of(st.Retries, "failed attempt"), plural.Of(st.Lost, "window"))
		s.Printf("updated\t%s\n", st.Updated.Format(time.RFC3339))
	}
	if text := versions(st); text != "" {
		s.Printf("versions\t%s\n", text)
	}
	if st.Epoch > 0 && len(st.Workers)+st.WorkersLost > 0 {
		s.Printf("coordinator\tepoch %d\n", st.Epoch)
		s.Printf("fleet\t%s, %d lost since the start\n", plural.Of(len(st.Workers), "worker"), st.WorkersLost)
		s.Printf("transfer\t%s predicted\n", quantity.Bytes(st.MovedBytes))
		if d := st.Disks; d != nil && !d.Fits {
			s.Printf("disks\t%s; %s\n", lack(d), DiskAdvice)
		}
	}
	workersText(&s, st.Workers)
	unfitText(&s, st.Unfit)
	quarantinedText(&s, st.Quarantined)
	return s.Bytes()
}

// audits returns the settings of audits of a live run, and the number of audits left of a stopped one.
func audits(st *status.Status) string {
	switch {
	case st.AuditsDue > 0:
		return fmt.Sprintf("%d left", st.AuditsDue)
	case st.AuditBy != "" && live(st):
		return fmt.Sprintf("audit_fraction %g, audit_by %s", st.AuditFraction, st.AuditBy)
	}
	return ""
}

// live reports whether a status is that of a process that carries the run out.
func live(s *status.Status) bool {
	return (s.State == status.StateRunning || s.State == status.StateExporting) && !s.Updated.IsZero()
}

// workersText lists the workers of a fleet.
func workersText(s *Sheet, all []status.WorkerStatus) {
	if len(all) == 0 {
		return
	}
	s.Columns()
	s.Printf("\nworker\tstate\tbusy\truns\tspeed\twait\twindows held\treceived\tdisk free\tseen\taddress\n")
	for i := range all {
		w := &all[i]
		speed, wait := pace(w)
		s.Printf("%s\t%s\t%d/%d\t%d\t%s\t%s\t%d\t%s\t%s\t%s\t%s\n",
			w.Name, workerState(w), w.Busy, w.Concurrency, max(1, w.Runs), speed, wait, w.Held, quantity.Bytes(w.Moved),
			diskFree(w.Disk), w.Seen.Format(time.TimeOnly), w.Address)
	}
}

// pace is how fast a worker computes, and how long its results wait for its disk; "-" before it has computed a window.
func pace(w *status.WorkerStatus) (speed, wait string) {
	if w.Speed == 0 {
		return "-", "-"
	}
	d := time.Duration(w.WaitMillis) * time.Millisecond
	if d > time.Second {
		d = d.Round(time.Second / 10)
	}
	return fmt.Sprintf("%.2f", w.Speed), d.String()
}

// workerState is the state of a worker, with the windows that others copy before it ends.
func workerState(w *status.WorkerStatus) string {
	if w.ToCopy > 0 {
		return fmt.Sprintf("%s, %d to copy", w.State, w.ToCopy)
	}
	return w.State
}

// versions counts the workers by the versions of their programs, where these differ among them or from the
// coordinator's; otherwise it is empty.
func versions(st *status.Status) string {
	count := make(map[string]int)
	for i := range st.Workers {
		count[st.Workers[i].Program]++
	}
	if len(count) == 0 || len(count) == 1 && count[st.Program] > 0 {
		return ""
	}
	parts := []string{"coordinator " + cmp.Or(st.Program, unknownVersion)}
	for _, v := range slices.Sorted(maps.Keys(count)) {
		parts = append(parts, plural.Of(count[v], "worker")+" "+cmp.Or(v, unknownVersion))
	}
	return strings.Join(parts, ", ")
}

const unknownVersion = "of an unknown version"

// unfitText lists the workers that cannot take part.
func unfitText(s *Sheet, all []status.UnfitWorker) {
	if len(all) == 0 {
		return
	}
	s.Columns()
	s.Printf("\ncannot take part\tversion\treason\n")
	for i := range all {
		s.Printf("%s\t%s\t%s\n", all[i].Name, cmp.Or(all[i].Program, "unknown"), all[i].Reason)
	}
}

// quarantinedText lists the windows that were set aside.
func quarantinedText(s *Sheet, all []status.QuarantinedWindow) {
	if len(all) == 0 {
		return
	}
	s.Columns()
	s.Printf("\nset aside\tattempts\tlast error\n")
	for i := range all {
		s.Printf("%s\t%d\t%s\n", all[i].Window, all[i].Attempts, all[i].Error)
	}
}

// state is the state of a run in its ink.
func (st Style) state(state string) string {
	if state == status.StateFailed {
		return st.paint(alarm, state)
	}
	return st.paint(strong, state)
}

// rate is how fast the processes of a live run have made rows.
func (st Style) rate(s *status.Status) string {
	seconds := max(s.Updated.Sub(s.Started).Seconds(), 1)
	return st.Number(uint64(float64(s.NewRows)/seconds+0.5)) + " rows/s"
}

// left is the time that is left of a live run.
func left(s *status.Status) string {
	if s.Ending() {
		return Ending
	}
	return Left(s.Left)
}

// Ending stands for the time that is left when no window is.
const Ending = "only the results"

// Left is the time that is left: "5 s to 9 s", "about 3 min", "unknown".
func Left(left *status.Left) string {
	if left == nil {
		return "unknown"
	}
	low, high := quantity.Duration(max(1, math.Round(left.Low))), quantity.Duration(max(1, math.Round(left.High)))
	if low == high {
		return "about " + low
	}
	return low + " to " + high
}
