package intake

import (
	"strings"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// TestBlame names the workers of two results, as far as ledger and reports tell.
func TestBlame(t *testing.T) {
	have := kv.Record{Window: puzzle.Window{Cell: puzzle.Cell{Key: "a"}}}
	got, other := have, have
	got.Digest[0]++
	other.Part++
	report := func(worker string, rec kv.Record) Report {
		return Report{Report: &protocol.Report{Worker: worker}, Done: []Done{{Done: protocol.Done{Record: rec}}}}
	}
	for _, c := range []struct {
		reports []Report
		holders []string
		want    string
	}{
		{[]Report{report("x", got), report("y", other)}, nil, "a worker that holds it no more"},
		{[]Report{report("x", got), report("y", have)}, nil, "y"},
		{[]Report{report("y", have), report("x", got)}, nil, "y"},
		{[]Report{report("x", got)}, []string{"a", "b"}, "a, b"},
	} {
		s := &Sifted{Reports: c.reports}
		err := s.Blame(&kv.ConflictError{Have: have, Got: got}, c.holders)
		if want := "last reported by worker x, before by " + c.want + ": "; !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
