package transfer

import (
	"encoding/binary"
	"fmt"
	"sync"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
)

var decoded = sync.Pool{New: func() any { return new(puzzle.Block) }}

// delivery passes the blocks of a range of a window to fn. When the copy they come from turns out to be damaged
// half-way, it goes on with another copy that begins with the same blocks.
type delivery struct {
	rec       *kv.Record
	from, end uint64 // addresses of the first block and behind the last
	whole     bool
	fn        func(*puzzle.Block) error
	passed    []uint64 // addresses and checksums of the blocks that fn has had
	replay    int      // how much of passed this copy has repeated
	refused   bool     // fn returned an error
	b         *puzzle.Block
}

func newDelivery(rec *kv.Record, first, addresses uint64, fn func(*puzzle.Block) error) *delivery {
	d := &delivery{rec: rec, fn: fn, from: rec.First, end: rec.First + rec.Addresses, b: decoded.Get().(*puzzle.Block)}
	if first > rec.First {
		d.from = first - (first-rec.First)%puzzle.BlockAddresses
	}
	if end := first + addresses; end >= first {
		d.end = min(d.end, end)
	}
	d.whole = d.from == rec.First && d.end == rec.First+rec.Addresses
	return d
}

func (d *delivery) free() { decoded.Put(d.b) }

// again begins anew with another copy.
func (d *delivery) again() { d.replay = 0 }

func (d *delivery) block(at uint64, coded []byte) error {
	if at < d.from || at >= d.end {
		return nil
	}
	if err := blocks.Decode(coded, d.b); err != nil {
		return fmt.Errorf("block %d: %w", at, err)
	}
	if err := d.b.Check(d.rec.Window); err != nil {
		return fmt.Errorf("%w: %w", kv.ErrCorrupt, err)
	}
	if d.b.First != at {
		return fmt.Errorf("%w: block %d says that it is block %d", kv.ErrCorrupt, at, d.b.First)
	}
	sum := binary.LittleEndian.Uint64(coded[len(coded)-8:])
	if d.replay < len(d.passed) {
		if d.passed[d.replay] != at || d.passed[d.replay+1] != sum {
			return fmt.Errorf("%w: block %d was read from a damaged copy", kv.ErrCorrupt, d.passed[d.replay])
		}
		d.replay += 2
		return nil
	}
	d.passed = append(d.passed, at, sum)
	d.replay = len(d.passed)
	err := d.fn(d.b)
	d.refused = err != nil
	return err
}
