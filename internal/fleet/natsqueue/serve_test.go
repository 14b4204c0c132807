package natsqueue

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
)

// TestInsist: the time for an answer doubles after one that did not come in time, and after nothing else. Without a
// listener it begins anew: an answer that a coordinator loses as it comes back holds its workers up no longer than the
// first one would have.
func TestInsist(t *testing.T) {
	const s, late = time.Second, "late"
	nobody, away := nats.ErrNoResponders.Error(), nats.ErrDisconnected.Error()
	fails := map[string]error{nobody: nats.ErrNoResponders, away: nats.ErrDisconnected}
	for what, c := range map[string]struct {
		before []string // the answer
		tries  []time.Duration
	}{
		"slow": {
			[]string{late, late, late, late, late},
			[]time.Duration{2 * s, 4 * s, 8 * s, 16 * s, 30 * s, 30 * s},
		},
		"gone":                 {[]string{nobody, nobody, nobody, late}, []time.Duration{2 * s, 2 * s, 2 * s, 2 * s, 4 * s}},
		"slow, gone, and back": {[]string{late, late, nobody, late}, []time.Duration{2 * s, 4 * s, 8 * s, 2 * s, 4 * s}},
		"no connection":        {[]string{away, away, late}, []time.Duration{2 * s, 2 * s, 2 * s, 4 * s}},
	} {
		synctest.Test(t, func(t *testing.T) {
			var tries []time.Duration
			begun, waited := time.Now(), time.Duration(0)
			b, err := insist(t.Context(), 2*s, func(ctx context.Context, try time.Duration) (*nats.Msg, error) {
				tries = append(tries, try)
				switch i := len(tries) - 1; {
				case i == len(c.before):
					return &nats.Msg{Data: []byte("yes")}, nil
				case c.before[i] != late:
					return nil, fails[c.before[i]]
				}
				waited += try
				ctx, cancel := context.WithTimeout(ctx, try)
				defer cancel()
				<-ctx.Done()
				return nil, ctx.Err()
			})
			if err != nil || string(b) != "yes" || !slices.Equal(tries, c.tries) {
				t.Errorf("%s: %q, %v after tries of %v, want %v", what, b, err, tries, c.tries)
			}
			most := time.Duration(len(c.before)) * retryMost
			if pauses := time.Since(begun) - waited; pauses <= 0 || pauses > most {
				t.Errorf("%s: %v of pauses, at most %v are right", what, pauses, most)
			}
		})
	}
}
