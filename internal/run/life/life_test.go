package life

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"pagoda/internal/puzzle"
)

var (
	this  = puzzle.WindowID{Cell: puzzle.Cell{Layer: 17, Key: "a"}, Part: 2}
	other = puzzle.WindowID{Cell: puzzle.Cell{Layer: 17, Key: "a"}, Part: 1}
)

// script reads events, one a second: KIND WORKER, where the words behind say more.
func script(lines string) (events []Event) {
	for i, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		f := strings.Fields(line)
		e := Event{Time: time.Unix(int64(i), 0), Kind: Kind(strings.ReplaceAll(f[0], "-", " ")), Window: this}
		for _, word := range f[1:] {
			switch took, err := time.ParseDuration(word); {
			case err == nil:
				e.Took = took
			case word == "audit":
				e.Audit = true
			case word == "reused":
				e.Reused = true
			case word == "holds":
				e.Held = 9
			case word == "other":
				e.Window = other
			default:
				e.Worker = word
			}
		}
		if !e.AboutWindow() {
			e.Window = puzzle.WindowID{}
		}
		events = append(events, e)
	}
	return events
}

// told is a life in short: events, computations, and the workers that have the window at the end.
func told(l *Life) string {
	var b strings.Builder
	for i := range l.Events {
		fmt.Fprintf(&b, "%s %s; ", l.Events[i].Kind, l.Events[i].Worker)
	}
	for _, c := range l.Computations {
		fmt.Fprintf(&b, "\n%s %v: %s", c.Worker, c.Took, c.Why)
	}
	fmt.Fprintf(&b, "\nin hand %q, held %q", l.Assigned, l.Held)
	return b.String()
}

var lives = map[string]struct{ events, want string }{
	"computed once": {`
		joined w1 holds
		assigned w1
		taken w1
		computed w1 2s
		reported w1
		committed w1 2s
		computed w2 3s other
		committed w2 3s other
		gone w2`, `
assigned w1; taken w1; computed w1; reported w1; committed w1; 
w1 2s: first
in hand [], held ["w1"]`},
	"its worker is lost with its rows": {`
		assigned w1
		committed w1 2s
		gone w1
		assigned w2
		gone w3
		committed w2 1s`, `
assigned w1; committed w1; gone w1; assigned w2; committed w2; 
w1 2s: first
w2 1s: w1 was lost
in hand [], held ["w2"]`},
	"its worker is lost while it computes": {`
		assigned
		taken w1
		gone w1
		assigned
		taken w2
		computed w2 1s
		committed w2 1s
		computed w2 1s
		committed w2 1s`, `
assigned ; taken w1; gone w1; assigned ; taken w2; computed w2; committed w2; computed w2; committed w2; 
w2 1s: first
w2 1s: the logs do not say
in hand [], held ["w2"]`},
	"audited": {`
		assigned w1
		computed w1 2s
		assigned w2 audit
		committed w1 2s
		computed w2 1s audit
		audited w2 1s holds
		audited coordinator 3s`, `
assigned w1; computed w1; assigned w2; committed w1; computed w2; audited w2; audited coordinator; 
w1 2s: first
w2 1s: audit
coordinator 3s: audit
in hand [], held ["w1" "w2"]`},
	"a worker comes back": {`
		committed w1 2s
		left w1
		joined w1 holds
		joined w1 holds
		gone w1
		joined w1`, `
committed w1; left w1; joined w1; gone w1; joined w1; 
w1 2s: first
in hand [], held []`},
	"failures": {`
		assigned w1
		failed w1
		retried w1
		assigned w2
		failed w2
		retried w2
		assigned w3
		computed w3 1s`, `
assigned w1; failed w1; retried w1; assigned w2; failed w2; retried w2; assigned w3; computed w3; 
w3 1s: first
in hand ["w3"], held []`},
	"set aside": {"assigned w1\nfailed w1\nassigned\nset-aside", `
assigned w1; failed w1; assigned ; set aside ; 
in hand [], held []`},
	"rows lost, and found on a disk": {`
		committed w1 2s
		copied w2
		lost w3
		assigned w2
		committed w2 reused`, `
committed w1; copied w2; lost w3; assigned w2; committed w2; 
w1 2s: first
in hand [], held ["w2"]`},
	"a coordinator is followed by another": {`
		began
		assigned w1
		began
		assigned w1
		resent
		assigned w1
		absent
		archive-lost
		computed w1 1s
		began
		computed w1 2s`, `
assigned w1; began ; assigned w1; resent ; assigned w1; absent ; archive lost ; computed w1; began ; computed w1; 
w1 1s: first
w1 2s: a coordinator started
in hand [], held []`},
	"a worker lies, another is late": {`
		committed w1 1s
		refused w1
		joined w1 holds
		assigned w2
		stalled w2
		assigned w3
		unserved w2
		committed w3 1s
		stalled w3
		dropped`, `
committed w1; refused w1; assigned w2; stalled w2; assigned w3; committed w3; stalled w3; dropped ; 
w1 1s: first
w3 1s: w2 did not report it
in hand [], held []`},
}

func TestLives(t *testing.T) {
	for name, test := range lives {
		t.Run(name, func(t *testing.T) {
			l := Of(this, script(test.events))
			if got := told(&l); got != strings.TrimPrefix(test.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", got, strings.TrimPrefix(test.want, "\n"))
			}
		})
	}
}

// TestOrder: events of several processes may come in any order, as far as their times differ.
func TestOrder(t *testing.T) {
	for name, test := range lives {
		events := script(test.events)
		want := Of(this, events)
		for range 20 {
			rand.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
			if got := Of(this, events); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: got\n%s\nwant\n%s", name, told(&got), told(&want))
			}
		}
	}
}

// TestClocks: coordinator and worker tell of one computation, whichever clock is ahead.
func TestClocks(t *testing.T) {
	for _, ahead := range []time.Duration{-time.Hour, 0, time.Hour} {
		events := script("assigned w1\ncomputed w1 2s\ncommitted w1 2s")
		events[1].Time = events[1].Time.Add(ahead)
		if l := Of(this, events); len(l.Computations) != 1 || l.Computations[0].Why != First {
			t.Errorf("%v ahead: %s", ahead, told(&l))
		}
	}
}
