package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

// TestTeller: of slow steps only the newest one is told, and a quick one is not told.
func TestTeller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		teller := tellEvery(&out, 5*time.Second)
		teller.say("one")
		time.Sleep(4 * time.Second)
		teller.say("two")
		time.Sleep(7 * time.Second)
		teller.say("three")
		teller.stop()
		if out.String() != "two\ntwo\n" {
			t.Errorf("told: %q", out.String())
		}
	})
}
