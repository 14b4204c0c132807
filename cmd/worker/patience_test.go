package main

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestPatience goes through a worker's ups and downs, and demands that it gives up in the right moment.
func TestPatience(t *testing.T) {
	const most = 15 * time.Minute
	up := func(p *patience) { p.connected(true) }
	down := func(p *patience) { p.connected(false) }
	run := func(p *patience) { p.serving(true) }
	idle := func(p *patience) { p.serving(false) }
	for _, test := range []struct {
		name  string
		steps []func(*patience) // a minute apart, beginning at 1 min
		want  time.Duration     // when it gives up; 0: never
	}{
		{"nothing comes", nil, most},
		{"a connection alone", []func(*patience){up}, most},
		{"a run", []func(*patience){up, run}, 0},
		{"a run that is over", []func(*patience){up, run, idle}, 3*time.Minute + most},
		{"a connection lost", []func(*patience){up, run, down}, 3*time.Minute + most},
		{"and lost for good", []func(*patience){up, run, down, down, idle}, 3*time.Minute + most},
		{"a connection that comes back", []func(*patience){up, run, down, up}, 0},
		{"one run after the other", []func(*patience){up, run, idle, run, idle, run}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				gave := make(chan time.Duration, 1)
				p := newPatience(most, func() { gave <- time.Since(begun) })
				for _, step := range test.steps {
					time.Sleep(time.Minute)
					step(p)
				}
				var got time.Duration
				select {
				case got = <-gave:
				case <-time.After(24 * time.Hour):
				}
				p.end()
				if got != test.want {
					t.Errorf("gave up after %v, want %v", got, test.want)
				}
			})
		})
	}
	var none *patience
	none.connected(true)
	none.serving(false)
	none.end()
	if newPatience(0, nil) != nil {
		t.Error("no limit is one")
	}
}
