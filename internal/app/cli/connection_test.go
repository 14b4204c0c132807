package cli

import (
	"testing"
	"time"
)

// TestRepetition: a text is said once in a minute, also when others come between.
func TestRepetition(t *testing.T) {
	var r repetition
	begin := time.Unix(1000, 0)
	for i, c := range []struct {
		text string
		at   time.Duration
		said bool
	}{
		{"a", 0, true}, {"a", 0, false}, {"b", time.Second, true}, {"a", 2 * time.Second, false}, {"b", time.Minute, false},
		{"a", time.Minute, true}, {"a", 2*time.Minute - 1, false}, {"b", 2 * time.Minute, true},
	} {
		if said := r.again(c.text, begin.Add(c.at)); said != c.said {
			t.Errorf("%d: %s after %v is said: %t", i, c.text, c.at, said)
		}
	}
	if len(r.said) != 1 {
		t.Errorf("%d texts are kept, want that of the last minute", len(r.said))
	}
}
