package rundir

import (
	"errors"
	"path/filepath"
	"reflect"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/trust"
)

// TestBeginAudits: the least shares of all coordinators stay on record, from the one on after which a window was on the
// word of workers; where such windows were there before shares were noted, none are on record.
func TestBeginAudits(t *testing.T) {
	low, high := trust.Shares{All: 0.02, Own: 0.005}, trust.Shares{All: 1, Own: 1}
	for _, c := range []struct {
		name  string
		by    []string // the workers that have computed a window before the second coordinator begins; none: no window
		early bool     // it was computed before the first one too
		begin []trust.Shares
		want  *trust.Shares
	}{
		{"one after the other", []string{"a"}, false, []trust.Shares{low, high}, &low},
		{"the other way", []string{"a"}, false, []trust.Shares{high, low}, &low},
		{"confirmed by a worker", []string{"a", "b"}, false, []trust.Shares{low, high}, &low},
		{"the first had no window", nil, false, []trust.Shares{low, high}, &high},
		{"the coordinator alone", []string{protocol.OwnWorker}, false, []trust.Shares{low, high}, &high},
		{"confirmed by the coordinator", []string{"a", protocol.OwnWorker}, false, []trust.Shares{low, high}, &high},
		{"an older version", []string{"a"}, true, []trust.Shares{high, high}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := stored(t, func(*Folder, kv.Record) error { return nil })
			var e kv.Entry
			err := f.Store.Records(func(r kv.Record) error {
				r.Run, e = f.Meta.Run, kv.Entry{Record: r, By: c.by}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			commit := func() {
				if len(c.by) > 0 {
					if err := f.Ledger.Append([]kv.Entry{e}); err != nil {
						t.Fatal(err)
					}
				}
			}
			if c.early {
				commit()
			}
			var got *trust.Shares
			for _, s := range c.begin {
				if got, err = f.BeginAudits(s, false); err != nil {
					t.Fatal(err)
				}
				commit()
			}
			if late, err := f.BeginAudits(trust.Shares{}, true); err != nil || !reflect.DeepEqual(late, c.want) {
				t.Errorf("of a complete run %v, %v, want %v", late, err, c.want)
			}
			words, err := Words(f.Ledger, f.Ledger.Load)
			if err != nil || !reflect.DeepEqual(got, c.want) || !reflect.DeepEqual(words.Audits, c.want) {
				t.Errorf("%v and on record %v, %v, want %v", got, words.Audits, err, c.want)
			}
		})
	}
}

// TestDamagedShares: shares of audits that cannot be read are damage, and never read as none.
func TestDamagedShares(t *testing.T) {
	f := whole(t)
	if err := f.Ledger.SetMeta(AuditsName, []byte("nonsense")); err != nil {
		t.Fatal(err)
	}
	for _, complete := range []bool{true, false} {
		if s, err := f.BeginAudits(trust.Shares{}, complete); !errors.Is(err, kv.ErrCorrupt) || s != nil {
			t.Errorf("complete %t: %v, %v", complete, s, err)
		}
	}
	l, err := kv.OpenLedger(filepath.Join(t.TempDir(), "ledger"), "r", kv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	closeErr := l.Close()
	if s, err := leastAudits(l); closeErr != nil || err == nil || s != nil {
		t.Errorf("a closed ledger: %v, %v, %v", s, err, closeErr)
	}
}
