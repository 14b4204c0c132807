package main

import (
	"errors"
	"testing"
	"time"

	"pagoda/internal/app/batch"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/run/coordinator"
)

// TestBatchOnTerminal looks for a line of each member under way, for the count of the batch below them, and for
// warnings above.
func TestBatchOnTerminal(t *testing.T) {
	master, slave := pseudoTerminal(t)
	a := &app{stderr: slave, environ: []string{"TERM=xterm"}}
	d := a.newBatchDisplay(ops.LogStyle{Level: ops.LogInfo})
	d.shows(&batch.Batch{Name: "survey"})
	d.start(batch.Tally{Members: 9, Complete: 3})
	var shown []*display
	var members []*batch.Member
	for _, name := range []string{"first", "second"} {
		m := &batch.Member{ID: "id-" + name, Name: name}
		p := &progress{begun: time.Now()}
		members, shown = append(members, m), append(shown, d.member(m, p))
		p.log = shown[len(shown)-1].log
		p.events().Planned(coordinator.Planned{Layers: 9, Windows: 40})
	}
	read := reading(master)
	wait(t, read, "\rfirst  layer 0/9  windows 0/40", "\r\nsecond  layer 0/9  windows 0/40",
		"\r\nbatch survey  3/9 members complete\x1b[K")
	shown[0].log.Info("no news")
	shown[0].log.Warn("look here")
	wait(t, read, "  warning: look here\r\n")
	shown[0].close()
	d.ended(members[0], batch.Tally{Members: 9, Complete: 3, Failed: []string{"first"}}, errors.New("no luck"))
	wait(t, read, "error: member failed", "\x1b[1Asecond  layer", "\r\nbatch survey  3/9 members complete, 1 failed\x1b[K")
	d.close()
	d.log.Info("after")
	wait(t, read, "  after\r\n")
}
