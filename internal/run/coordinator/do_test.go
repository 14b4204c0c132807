package coordinator

import (
	"testing"
)

// TestAskedLast: do reports true for the function that the loop has called last of all, although the coordinator has
// ended by then.
func TestAskedLast(t *testing.T) {
	for range 2000 {
		c := newLoop()
		go func() {
			(<-c.calls)()
			close(c.ended)
		}()
		did := false
		if ok := c.do(t.Context(), func() { did = true }); !ok {
			t.Fatalf("the coordinator did what it was asked (%t) and says that it had ended before", did)
		}
		if ok := c.do(t.Context(), func() { t.Error("done after the end") }); ok {
			t.Fatal("a coordinator that has ended did what it was asked")
		}
	}
}
