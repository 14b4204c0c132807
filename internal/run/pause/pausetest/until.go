// Package pausetest lets tests wait for states, never for a time that should be long enough.
//
// Code in memory is tested in a bubble of testing/synctest: its clock advances only when all its goroutines wait. So no
// test depends on how fast the machine is, and Until asks again only when nothing else is left to do. Until also serves
// tests of processes, sockets and servers, whose clock is the machine's.
package pausetest

import "time"

const (
	pace = 5 * time.Millisecond
	// patience is how long a state may take to come before the test says that it never did. On the machine's clock it
	// decides nothing else: without it the test would end with all others when `go test -timeout` is over.
	patience = 5 * time.Minute
)

// A Failer is a test, of package testing or testscript.
type Failer interface {
	Fatalf(format string, args ...any)
}

// Until waits until ok reports true. If it never does, the test ends with what, as in "nothing was dropped". Until is
// called from the goroutine of the test.
func Until(t Failer, what string, ok func() bool) {
	if h, can := t.(interface{ Helper() }); can {
		h.Helper()
	}
	UntilRight(t, func() string {
		if ok() {
			return ""
		}
		return what
	})
}

// UntilRight waits until wrong has nothing to complain of and returns "". If it goes on, the test ends with its last
// complaint.
func UntilRight(t Failer, wrong func() string) {
	if h, can := t.(interface{ Helper() }); can {
		h.Helper()
	}
	for end := time.Now().Add(patience); ; time.Sleep(pace) {
		problem := wrong()
		if problem == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("after %v: %s", patience, problem)
		}
	}
}
