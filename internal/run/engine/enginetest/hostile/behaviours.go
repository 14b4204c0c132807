package hostile

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/protocol"
)

// Behaviours are hostile workers, each under the name of its deed.
var Behaviours = map[string]*Behaviour{
	"false rows with true tally":  {Rows: raiseRows},
	"true rows with false tally":  {Tally: raiseTally},
	"false rows with false tally": {Rows: raiseRows, Tally: raiseTally},
	"false flows": {Tally: func(_ *Attacker, _ puzzle.Window, t *puzzle.Tally) {
		for i := range t.Out {
			t.Out[i].Amount.Lo++
		}
	}},
	"one false window": {Tally: func(x *Attacker, _ puzzle.Window, t *puzzle.Tally) {
		if x.computed.Add(1) == 5 {
			raise(t)
		}
	}},
	"more games at every end":          {Tally: moreGames(func(puzzle.Window) bool { return true })},
	"more games in one layer":          {Tally: moreGames(func(w puzzle.Window) bool { return w.Layer == 8 })},
	"half the windows doubled":         Doubles(half),
	"one window doubled":               Doubles(func(w puzzle.Window) bool { return w.Layer == 2 && w.First == 0 }),
	"windows doubled from a layer on":  Doubles(func(w puzzle.Window) bool { return w.Layer > 1 }),
	"windows doubled in a single cell": Doubles(func(w puzzle.Window) bool { return w.Layer == 3 && half(w) }),
	"false digest":                     {Reports: every(func(_ *Attacker, d *protocol.Done) { d.Record.Digest[0] ^= 1 })},
	"one row and an empty tally": {Reports: every(func(_ *Attacker, d *protocol.Done) {
		d.Record.Rows, d.Record.Blocks, d.Record.Bytes, d.Record.Tally = 1, 1, 20, puzzle.Tally{}
	})},
	"sums that overflow": {Reports: every(func(_ *Attacker, d *protocol.Done) {
		for i := range d.Record.Tally.Sums {
			d.Record.Tally.Sums[i].Value = uint128.Uint128{Hi: 1<<64 - 1, Lo: 1<<64 - 1}
		}
	})},
	"another window": {Reports: every(func(_ *Attacker, d *protocol.Done) { d.Record.Part ^= 1 })},
	"another range":  {Reports: every(func(_ *Attacker, d *protocol.Done) { d.Record.First++ })},
	"more rows than addresses": {Reports: every(func(_ *Attacker, d *protocol.Done) {
		d.Record.Rows = d.Record.Addresses + 1
	})},
	"impossible bytes": {Reports: every(func(_ *Attacker, d *protocol.Done) { d.Record.Bytes = 1 << 60 })},
	"fewer bytes":      {Reports: every(func(_ *Attacker, d *protocol.Done) { d.Record.Bytes = min(1, d.Record.Bytes) })},
	"more bytes":       {Reports: every(func(_ *Attacker, d *protocol.Done) { d.Record.Bytes += 1000 * d.Record.Blocks })},
	"another run":      {Reports: every(func(_ *Attacker, d *protocol.Done) { d.Record.Run = "other" })},
	"flows of strangers": {Reports: every(func(_ *Attacker, d *protocol.Done) {
		_ = d.Record.Tally.AddIn(puzzle.Cell{Layer: 0, Key: "k0"}, uint128.From(3))
	})},
	"early": {Reports: func(_ *Attacker, r protocol.Report) []protocol.Report {
		for _, d := range r.Done[:len(r.Done):len(r.Done)] {
			d.Record.Layer++
			r.Done = append(r.Done, d)
		}
		return []protocol.Report{r}
	}},
	"late": {Reports: func(x *Attacker, r protocol.Report) []protocol.Report {
		x.pause(25 * time.Second)
		return []protocol.Report{r}
	}},
	"twice, and the second time wrong": {Reports: func(x *Attacker, r protocol.Report) []protocol.Report {
		second := every(func(_ *Attacker, d *protocol.Done) { raise(&d.Record.Tally) })(x, r)
		return []protocol.Report{r, r, second[0], r}
	}},
	"for others": {Reports: func(x *Attacker, r protocol.Report) []protocol.Report {
		wrong := every(func(_ *Attacker, d *protocol.Done) { raise(&d.Record.Tally) })(x, r)[0]
		wrong.Worker = x.Others[0]
		return []protocol.Report{wrong, r}
	}},
	"an age for a window, then silence": {Reports: func(x *Attacker, r protocol.Report) []protocol.Report {
		if x.turn() > 4 {
			return nil
		}
		return every(func(_ *Attacker, d *protocol.Done) { d.Nanos = math.MaxInt64 })(x, r)
	}},
	"an age for a window, and longer for the next": {Reports: func(x *Attacker, r protocol.Report) []protocol.Report {
		x.pause(5 * time.Second << (3 * (x.turn() - 1))) // less than eight times what the last one took, and 10 s
		return every(func(_ *Attacker, d *protocol.Done) { d.Nanos = math.MaxInt64 })(x, r)
	}},
	"no time at all": {Reports: every(func(_ *Attacker, d *protocol.Done) { d.Nanos = 1 })},
	"silence":        {Reports: func(*Attacker, protocol.Report) []protocol.Report { return nil }},
	"no attempt":     {Reports: every(func(_ *Attacker, d *protocol.Done) { d.Attempt = "" })},
	"attempts of its own making": {Reports: every(func(_ *Attacker, d *protocol.Done) {
		d.Attempt = "1.1.c.00112233445566778899"
	})},
	"attempts of other windows": {Reports: func(x *Attacker, r protocol.Report) []protocol.Report {
		x.mu.Lock()
		defer x.mu.Unlock()
		return every(func(x *Attacker, d *protocol.Done) {
			d.Attempt, x.last = x.last, d.Attempt
			raise(&d.Record.Tally)
		})(x, r)
	}},
	"for another run": {Reports: func(x *Attacker, r protocol.Report) []protocol.Report {
		wrong := every(func(_ *Attacker, d *protocol.Done) { d.Record.Run = "other" })(x, r)[0]
		wrong.Run = "other"
		return []protocol.Report{wrong, r}
	}},
	"again all that it has reported": {Reports: func(x *Attacker, r protocol.Report) []protocol.Report {
		wrong := every(func(_ *Attacker, d *protocol.Done) { raise(&d.Record.Tally) })(x, r)[0]
		x.mu.Lock()
		defer x.mu.Unlock()
		old := slices.Clone(x.old)
		if x.old = append(x.old, wrong); len(x.old) > 20 {
			x.old = x.old[1:]
		}
		for i := range old {
			old[i].Epoch, old[i].Number = r.Epoch, r.Number+uint64(i) // of this epoch, and a new one
		}
		return append([]protocol.Report{r}, append(old, r)...)
	}},
	"the next epoch": {
		Reports: func(_ *Attacker, r protocol.Report) []protocol.Report {
			wrong := r
			wrong.Epoch++
			return []protocol.Report{wrong, r}
		},
		Beats: func(b *protocol.Heartbeat) { b.Epoch++ },
		Joins: func(_ *Attacker, j *protocol.Join) { j.Epoch++ },
	},
	"the last epoch": {
		Beats: func(b *protocol.Heartbeat) { b.Epoch = protocol.MaxEpoch },
		Joins: func(_ *Attacker, j *protocol.Join) { j.Epoch = protocol.MaxEpoch },
	},
	"an older epoch": {Reports: func(x *Attacker, r protocol.Report) []protocol.Report {
		old := every(func(_ *Attacker, d *protocol.Done) { raise(&d.Record.Tally) })(x, r)[0]
		old.Epoch--
		return []protocol.Report{old, r}
	}},
	"false failures":     {Reports: fails(func(*Attacker, *protocol.Failure) {})},
	"false overflow":     {Reports: fails(func(_ *Attacker, f *protocol.Failure) { f.Kind = protocol.FailOverflow })},
	"false foreign cell": {Reports: fails(func(_ *Attacker, f *protocol.Failure) { f.Kind = protocol.FailForeign })},
	"false full disk":    {Reports: fails(func(_ *Attacker, f *protocol.Failure) { f.Kind = protocol.FailDiskFull })},
	"parents said to be missing": {Reports: fails(func(x *Attacker, f *protocol.Failure) {
		f.Kind, f.Missing, f.Holders = protocol.FailMissing, x.parent(f.Window), append([]string{x.Name}, x.Others...)
	})},
	"parents said to be held by nobody": {Reports: fails(func(x *Attacker, f *protocol.Failure) {
		f.Kind, f.Missing, f.Loss = protocol.FailMissing, x.parent(f.Window), 1000
	})},
	"parents said to be out of reach": {Reports: fails(func(x *Attacker, f *protocol.Failure) {
		f.Kind, f.Missing, f.Holders = protocol.FailMissing, x.parent(f.Window), x.Others
		f.Unreachable = true
	})},
	"missing what is no parent": {Reports: fails(func(x *Attacker, f *protocol.Failure) {
		f.Kind, f.Missing, f.Holders = protocol.FailMissing, &f.Window, x.Others
	})},
	// Each of these costs a little time, again and again.
	"late by a second":  {Reports: pausing(1, time.Second)},
	"late by nine":      {Reports: pausing(1, 9*time.Second)},
	"now and then late": {Reports: pausing(2, 12*time.Second)},
	"now and then nothing": {Reports: func(x *Attacker, r protocol.Report) []protocol.Report {
		if x.turn()%2 == 0 {
			r.Done = nil
		}
		return []protocol.Report{r}
	}},
	"now and then a late failure": {Reports: func(x *Attacker, r protocol.Report) []protocol.Report {
		if x.turn()%2 == 0 {
			return []protocol.Report{r}
		}
		x.pause(5 * time.Second)
		return fails(func(*Attacker, *protocol.Failure) {})(x, r)
	}},
	"late accusations": {Reports: func(x *Attacker, r protocol.Report) []protocol.Report {
		x.pause(5 * time.Second)
		return fails(func(x *Attacker, f *protocol.Failure) {
			f.Kind, f.Missing, f.Holders, f.Unreachable = protocol.FailMissing, x.parent(f.Window), x.Others, true
		})(x, r)
	}},
	"serves now and then": {Serves: func(x *Attacker, _ string) Answer {
		if x.turn()%2 == 0 {
			return Rows
		}
		time.Sleep(7 * time.Second)
		return Nothing
	}},
	"serves silence but to the coordinator": {Serves: func(_ *Attacker, reader string) Answer {
		if reader == protocol.OwnWorker {
			return Rows
		}
		time.Sleep(7 * time.Second)
		return Nothing
	}},
	"joins under one name after the other": {Floods: func(x *Attacker) {
		for n := 0; x.pause(11 * time.Second); n++ {
			x.join(fmt.Sprintf("%s-%d", x.Name, n), "i")
		}
	}},
	"claims all windows":   {Joins: claimAll(func(*blocks.Digest) {}), Floods: rejoins, Serves: serves(NotHeld)},
	"claims other windows": {Joins: claimAll(func(d *blocks.Digest) { d[0] ^= 1 })},
	"serves false rows":    {Serves: serves(FalseRows)},
	"serves nothing":       {Serves: serves(Nothing)},
	// The reader of a holder that accepts and stays silent, or drips, waits; then the holder counts as unreachable.
	"serves silence": {Serves: func(*Attacker, string) Answer {
		time.Sleep(7 * time.Second)
		return Nothing
	}},
	"serves nothing but to the coordinator": {Serves: func(_ *Attacker, reader string) Answer {
		if reader == protocol.OwnWorker {
			return Rows
		}
		return Nothing
	}},
	"serves nothing to one worker": {Serves: func(x *Attacker, reader string) Answer {
		if reader == x.Others[0] {
			return NotHeld
		}
		return Rows
	}},
	"serves nothing but to accomplices": {Serves: func(_ *Attacker, reader string) Answer {
		if reader == protocol.OwnWorker || strings.HasPrefix(reader, "x") {
			return Rows
		}
		return Nothing
	}},
	"serves false rows to the coordinator": {Serves: func(_ *Attacker, reader string) Answer {
		if reader == protocol.OwnWorker {
			return FalseRows
		}
		return Rows
	}},
	"joins under many names": {Floods: func(x *Attacker) {
		for n := 0; n < 2000 && x.pause(time.Millisecond); n++ {
			x.join(protocol.Named(fmt.Sprintf("flood%d", n), protocol.Fingerprint(x.Name)), "i")
		}
	}},
	"joins under an honest name": {Floods: func(x *Attacker) {
		if x.pause(100 * time.Millisecond) {
			x.join(x.Others[1], "somebody else")
		}
	}},
	"leaves all the time": {Beats: func(b *protocol.Heartbeat) { b.Leaving = true }},
	"a flood of reports": {Reports: func(_ *Attacker, r protocol.Report) []protocol.Report {
		all := make([]protocol.Report, 50)
		for i := range all {
			all[i] = r
		}
		return all
	}},
	"lies in audits alone": {Reports: every(func(_ *Attacker, d *protocol.Done) {
		if d.Audit {
			raise(&d.Record.Tally)
		}
	})},
	"says that it has had it": {Reports: every(func(_ *Attacker, d *protocol.Done) {
		d.Reused = true
		raise(&d.Record.Tally)
	})},
}

// NothingTrue are the behaviours without a true report, or without one for long: with such a worker alone no run is
// complete.
var NothingTrue = []string{
	"false rows with true tally", "true rows with false tally", "false rows with false tally", "false digest",
	"one false window", "one row and an empty tally", "sums that overflow", "another window", "another range",
	"more rows than addresses", "impossible bytes", "another run", "flows of strangers", "no attempt",
	"attempts of its own making", "silence", "false failures", "false overflow", "says that it has had it",
}
