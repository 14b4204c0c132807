package render

import (
	"math"
	"time"

	"pagoda/internal/puzzle/plural"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/status"
)

// Status is a status as a text: a table of the layers, and below it the facts about the run and its workers.
func Status(st *status.Status) []byte {
	var s Sheet
	s.Numbers()
	s.Printf("layer\twindows\tdone\trows\tbytes\t\n")
	for _, l := range st.Layers {
		s.Printf("%d\t%d\t%d\t%d\t%d\t\n", l.Layer, l.Windows, l.Done, l.Rows, l.Bytes)
	}
	s.Columns()
	s.Printf("\nrun\t%s\npuzzle\t%s\nstate\t%s\n", st.Run, st.Puzzle, st.State)
	if st.Error != "" {
		s.Printf("error\t%s\n", st.Error)
	}
	more := ""
	if !st.Planned {
		more = " planned so far"
	}
	s.Printf("windows\t%d of %d%s\nrows\t%d\ndisk\t%s\n", st.Done, st.Windows, more, st.Rows, plan.Bytes(st.Bytes))
	if st.AuditsDue > 0 {
		s.Printf("audits\t%d left\n", st.AuditsDue)
	}
	if st.Unexported {
		s.Printf("export\tnot done\n")
	}
	if live(st) {
		elapsed := st.Updated.Sub(st.Started)
		s.Printf("concurrency\t%d\nrunning for\t%s\n", st.Concurrency, elapsed.Round(time.Second))
		s.Printf("computed\t%s, %s, %.0f rows/s\n", plural.Of(st.Committed, "window"), plural.Of(st.NewRows, "row"),
			float64(st.NewRows)/max(elapsed.Seconds(), 1))
		s.Printf("left\t%s\n", Left(st.Left))
		if w := st.Waiting; w != nil {
			s.Printf("waiting\tfor %s, for %s\n", w.For, Duration(st.Updated.Sub(w.Since).Seconds()))
		}
		if st.Again > 0 {
			s.Printf("again\t%s to be computed again, whose rows are lost\n", plural.Of(st.Again, "window"))
		}
		s.Printf("trouble\t%s, %s lost\n", plural.Of(st.Retries, "failed attempt"), plural.Of(st.Lost, "window"))
		s.Printf("updated\t%s\n", st.Updated.Format(time.RFC3339))
	}
	if st.Epoch > 0 && len(st.Workers)+st.WorkersLost > 0 {
		s.Printf("coordinator\tepoch %d\n", st.Epoch)
		s.Printf("fleet\t%s, %d lost since the start\n", plural.Of(len(st.Workers), "worker"), st.WorkersLost)
		s.Printf("transfer\t%s predicted\n", plan.Bytes(st.MovedBytes))
	}
	workersText(&s, st.Workers)
	quarantinedText(&s, st.Quarantined)
	return s.Bytes()
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
	s.Printf("\nworker\tstate\tbusy\twindows held\treceived\tseen\taddress\n")
	for i := range all {
		w := &all[i]
		s.Printf("%s\t%s\t%d/%d\t%d\t%s\t%s\t%s\n", w.Name, w.State, w.Busy, w.Concurrency, w.Held, plan.Bytes(w.Moved),
			w.Seen.Format(time.TimeOnly), w.Address)
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

// Left is the time that is left: "5 s to 9 s", "about 3 min", "unknown".
func Left(left *status.Left) string {
	if left == nil {
		return "unknown"
	}
	low, high := Duration(max(1, math.Round(left.Low))), Duration(max(1, math.Round(left.High)))
	if low == high {
		return "about " + low
	}
	return low + " to " + high
}
