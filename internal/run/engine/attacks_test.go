package engine_test

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/protocol"
)

// attacks are hostile workers by the name of their attack.
var attacks = map[string]*hostile{
	"false rows with true tally": {computes: func(p *wrapped) { p.rows = raiseRows }},
	"true rows with false tally": {computes: func(p *wrapped) {
		p.after = func(_ puzzle.Window, _ int, t *puzzle.Tally) { raise(t) }
	}},
	"false rows with false tally": {computes: func(p *wrapped) {
		p.rows, p.after = raiseRows, func(_ puzzle.Window, _ int, t *puzzle.Tally) { raise(t) }
	}},
	"false flows": {computes: func(p *wrapped) {
		p.after = func(_ puzzle.Window, _ int, t *puzzle.Tally) {
			for i := range t.Out {
				t.Out[i].Amount.Lo++
			}
		}
	}},
	"one false window": {computes: func(p *wrapped) {
		var n atomic.Int64
		p.after = func(_ puzzle.Window, _ int, t *puzzle.Tally) {
			if n.Add(1) == 5 {
				raise(t)
			}
		}
	}},
	"false digest": {reports: every(func(_ *attacker, d *protocol.Done) { d.Record.Digest[0] ^= 1 })},
	"one row and an empty tally": {reports: every(func(_ *attacker, d *protocol.Done) {
		d.Record.Rows, d.Record.Blocks, d.Record.Bytes, d.Record.Tally = 1, 1, 20, puzzle.Tally{}
	})},
	"sums that overflow": {reports: every(func(_ *attacker, d *protocol.Done) {
		for i := range d.Record.Tally.Sums {
			d.Record.Tally.Sums[i].Value = uint128.Uint128{Hi: 1<<64 - 1, Lo: 1<<64 - 1}
		}
	})},
	"another window": {reports: every(func(_ *attacker, d *protocol.Done) { d.Record.Part ^= 1 })},
	"another range":  {reports: every(func(_ *attacker, d *protocol.Done) { d.Record.First++ })},
	"more rows than addresses": {reports: every(func(_ *attacker, d *protocol.Done) {
		d.Record.Rows = d.Record.Addresses + 1
	})},
	"impossible bytes": {reports: every(func(_ *attacker, d *protocol.Done) { d.Record.Bytes = 1 << 60 })},
	"fewer bytes":      {reports: every(func(_ *attacker, d *protocol.Done) { d.Record.Bytes = min(1, d.Record.Bytes) })},
	"more bytes":       {reports: every(func(_ *attacker, d *protocol.Done) { d.Record.Bytes += 1000 * d.Record.Blocks })},
	"another run":      {reports: every(func(_ *attacker, d *protocol.Done) { d.Record.Run = "other" })},
	"flows of strangers": {reports: every(func(_ *attacker, d *protocol.Done) {
		_ = d.Record.Tally.AddIn(puzzle.Cell{Layer: 0, Key: "k0"}, uint128.From(3))
	})},
	"early": {reports: func(_ *attacker, r protocol.Report) []protocol.Report {
		for _, d := range r.Done[:len(r.Done):len(r.Done)] {
			d.Record.Layer++
			r.Done = append(r.Done, d)
		}
		return []protocol.Report{r}
	}},
	"late": {reports: func(x *attacker, r protocol.Report) []protocol.Report {
		x.pause(25 * time.Second)
		return []protocol.Report{r}
	}},
	"twice, and the second time wrong": {reports: func(x *attacker, r protocol.Report) []protocol.Report {
		second := every(func(_ *attacker, d *protocol.Done) { raise(&d.Record.Tally) })(x, r)
		return []protocol.Report{r, r, second[0], r}
	}},
	"for others": {reports: func(x *attacker, r protocol.Report) []protocol.Report {
		wrong := every(func(_ *attacker, d *protocol.Done) { raise(&d.Record.Tally) })(x, r)[0]
		wrong.Worker = "a"
		return []protocol.Report{wrong, r}
	}},
	"an age for a window, then silence": {reports: func(x *attacker, r protocol.Report) []protocol.Report {
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.reported++; x.reported > 4 {
			return nil
		}
		return every(func(_ *attacker, d *protocol.Done) { d.Nanos = math.MaxInt64 })(x, r)
	}},
	"an age for a window, and longer for the next": {reports: func(x *attacker, r protocol.Report) []protocol.Report {
		x.mu.Lock()
		n := x.reported
		x.reported++
		x.mu.Unlock()
		x.pause(5 * time.Second << (3 * n)) // less than eight times what the last one took, and 10 s
		return every(func(_ *attacker, d *protocol.Done) { d.Nanos = math.MaxInt64 })(x, r)
	}},
	"no time at all": {reports: every(func(_ *attacker, d *protocol.Done) { d.Nanos = 1 })},
	"silence":        {reports: func(*attacker, protocol.Report) []protocol.Report { return nil }},
	"no attempt":     {reports: every(func(_ *attacker, d *protocol.Done) { d.Attempt = "" })},
	"attempts of its own making": {reports: every(func(_ *attacker, d *protocol.Done) {
		d.Attempt = "1.1.c.00112233445566778899"
	})},
	"attempts of other windows": {reports: func(x *attacker, r protocol.Report) []protocol.Report {
		x.mu.Lock()
		defer x.mu.Unlock()
		return every(func(x *attacker, d *protocol.Done) {
			d.Attempt, x.last = x.last, d.Attempt
			raise(&d.Record.Tally)
		})(x, r)
	}},
	"the next epoch": {
		reports: func(_ *attacker, r protocol.Report) []protocol.Report {
			wrong := r
			wrong.Epoch++
			return []protocol.Report{wrong, r}
		},
		beats: func(b *protocol.Heartbeat) { b.Epoch++ },
		joins: func(_ *attacker, j *protocol.Join) { j.Epoch++ },
	},
	"the last epoch": {
		beats: func(b *protocol.Heartbeat) { b.Epoch = protocol.MaxEpoch },
		joins: func(_ *attacker, j *protocol.Join) { j.Epoch = protocol.MaxEpoch },
	},
	"an older epoch": {reports: func(x *attacker, r protocol.Report) []protocol.Report {
		old := every(func(_ *attacker, d *protocol.Done) { raise(&d.Record.Tally) })(x, r)[0]
		old.Epoch--
		return []protocol.Report{old, r}
	}},
	"false failures":     {reports: fails(func(*attacker, *protocol.Failure) {})},
	"false overflow":     {reports: fails(func(_ *attacker, f *protocol.Failure) { f.Kind = protocol.FailOverflow })},
	"false foreign cell": {reports: fails(func(_ *attacker, f *protocol.Failure) { f.Kind = protocol.FailForeign })},
	"false full disk":    {reports: fails(func(_ *attacker, f *protocol.Failure) { f.Kind = protocol.FailDiskFull })},
	"parents said to be missing": {reports: fails(func(x *attacker, f *protocol.Failure) {
		f.Kind, f.Missing, f.Holders = protocol.FailMissing, x.parent(f.Window), []string{"a", "b", x.name}
	})},
	"parents said to be held by nobody": {reports: fails(func(x *attacker, f *protocol.Failure) {
		f.Kind, f.Missing, f.Loss = protocol.FailMissing, x.parent(f.Window), 1000
	})},
	"parents said to be out of reach": {reports: fails(func(x *attacker, f *protocol.Failure) {
		f.Kind, f.Missing, f.Holders = protocol.FailMissing, x.parent(f.Window), []string{"a", "b"}
		f.Unreachable = true
	})},
	"missing what is no parent": {reports: fails(func(_ *attacker, f *protocol.Failure) {
		f.Kind, f.Missing, f.Holders = protocol.FailMissing, &f.Window, []string{"a", "b"}
	})},
	"claims all windows": {joins: claimAll(func(*blocks.Digest) {}), floods: rejoins,
		serves: func(string, protocol.LocatedWindow) error { return kv.ErrNotFound }},
	"claims other windows": {joins: claimAll(func(d *blocks.Digest) { d[0] ^= 1 })},
	"serves false rows":    {serves: func(string, protocol.LocatedWindow) error { return kv.ErrCorrupt }},
	"serves nothing":       {serves: func(string, protocol.LocatedWindow) error { return protocol.ErrUnreachable }},
	// The reader of a holder that accepts and stays silent, or drips, waits; then the holder counts as unreachable.
	"serves silence": {serves: func(string, protocol.LocatedWindow) error {
		time.Sleep(7 * time.Second)
		return protocol.ErrUnreachable
	}},
	"serves nothing but to the coordinator": {serves: func(reader string, _ protocol.LocatedWindow) error {
		if reader == protocol.OwnWorker {
			return nil
		}
		return protocol.ErrUnreachable
	}},
	"serves nothing to one worker": {serves: func(reader string, _ protocol.LocatedWindow) error {
		if reader != "a" {
			return nil
		}
		return kv.ErrNotFound
	}},
	"joins under many names": {floods: func(x *attacker) {
		for n := 0; n < 2000 && x.pause(time.Millisecond); n++ {
			x.join(fmt.Sprintf("flood%d", n), "i")
		}
	}},
	"joins under an honest name": {floods: func(x *attacker) {
		if x.pause(100 * time.Millisecond) {
			x.join("b", "somebody else")
		}
	}},
	"leaves all the time": {beats: func(b *protocol.Heartbeat) { b.Leaving = true }},
	"a flood of reports": {reports: func(_ *attacker, r protocol.Report) []protocol.Report {
		all := make([]protocol.Report, 50)
		for i := range all {
			all[i] = r
		}
		return all
	}},
	"lies in audits alone": {reports: every(func(_ *attacker, d *protocol.Done) {
		if d.Audit {
			raise(&d.Record.Tally)
		}
	})},
	"says that it has had it": {reports: every(func(_ *attacker, d *protocol.Done) {
		d.Reused = true
		raise(&d.Record.Tally)
	})},
}
