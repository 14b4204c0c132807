package kv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// epochName is where a ledger keeps its epoch, see SetMeta: 8 bytes, big endian.
const epochName = "epoch"

// Epoch returns the epoch of the last coordinator that drove the run from this ledger, 0 when there was none.
func (l *Ledger) Epoch() (uint64, error) {
	b, found, err := l.Meta(epochName)
	if err != nil || !found {
		return 0, err
	}
	if len(b) != 8 {
		return 0, fmt.Errorf("ledger %s: %w: epoch of %d bytes", l.dir, ErrCorrupt, len(b))
	}
	return binary.BigEndian.Uint64(b), nil
}

// RaiseEpoch begins a new epoch, greater than the last one and than above, and returns it once it is durable. Every
// coordinator does so before its first message. Workers can then tell it from its predecessors, and from a coordinator
// that drives the same run from a copy of this ledger.
func (l *Ledger) RaiseEpoch(above uint64) (uint64, error) {
	last, err := l.Epoch()
	if err != nil {
		return 0, err
	}
	if last = max(last, above); last == math.MaxUint64 {
		return 0, errors.New("the ledger has no epochs left")
	}
	last++
	return last, l.SetMeta(epochName, binary.BigEndian.AppendUint64(nil, last))
}
