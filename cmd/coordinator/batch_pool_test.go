package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pagoda/internal/app/batch"
	"pagoda/internal/fleet/ops"
)

// TestTroubleOfBatch: trouble that all connections of a batch have is told once, and other trouble as well.
func TestTroubleOfBatch(t *testing.T) {
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	a := &app{stderr: log}
	f := &runFlags{}
	d := a.newBatchDisplay(ops.LogStyle{Level: ops.LogInfo})
	b := &batch.Batch{Name: "survey", Dir: t.TempDir(), AtATime: 2}
	d.shows(b)
	p, err := newPool(t.Context(), f, d)
	if err == nil {
		err = p.carries(b)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.nats.Trouble(errors.New("no route"))
	for range 2 {
		l := &leader{flags: f, live: p.member(), log: d.members}
		for range 2 { // the run's, and that of the windows that this process computes
			e := l.connEvents()
			e.Trouble(errors.New("no route"))
			e.Trouble(errors.New("slow consumer"))
		}
	}
	d.close()
	said, err := os.ReadFile(log.Name())
	if err := errors.Join(err, p.close(), log.Close()); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"no route", "slow consumer"} {
		if n := strings.Count(string(said), text); n != 1 {
			t.Errorf("%s is told %d times:\n%s", text, n, said)
		}
	}
}
