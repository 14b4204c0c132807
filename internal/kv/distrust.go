package kv

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"pagoda/internal/puzzle"
)

// secretName and refusedName are where a ledger keeps its secret and the workers that are refused, see SetMeta.
const secretName, refusedName = "secret", "refused"

// secretBytes is the size of a ledger's secret.
const secretBytes = 32

// Secret returns random bytes that belong to this ledger, and makes them when there are none. They are never sent:
// values derived from them cannot be foreseen, and the next coordinator derives the same values.
func (l *Ledger) Secret() ([]byte, error) {
	b, found, err := l.Meta(secretName)
	if err != nil || found && len(b) == secretBytes {
		return b, err
	}
	b = make([]byte, secretBytes)
	_, _ = rand.Read(b) // it never fails
	return b, l.SetMeta(secretName, b)
}

// A Refusal names a worker whose results were found to be wrong, for good.
type Refusal struct {
	Worker string `json:"worker"`
	Window string `json:"window"` // the first that was wrong
	Reason string `json:"reason"`
}

// Refused returns the workers that were found to report wrong results, in the order in which they were found.
func (l *Ledger) Refused() (all []Refusal, err error) {
	b, found, err := l.Meta(refusedName)
	if err != nil || !found {
		return nil, err
	}
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, fmt.Errorf("ledger %s: %w: refused workers: %w", l.dir, ErrCorrupt, err)
	}
	return all, nil
}

// Distrust lists the consequences of wrong results.
type Distrust struct {
	Epoch   uint64            // of the finding coordinator
	Refuse  []Refusal         // workers to refuse, besides earlier ones
	Forget  []puzzle.WindowID // whose entries are removed
	Suspect []puzzle.WindowID // whose copies elsewhere must not be used, entries or not
	Audit   []puzzle.WindowID // to compute a second time
}

// Distrust carries out d, all or nothing, and returns once it is durable.
func (l *Ledger) Distrust(d Distrust) error {
	refused, err := l.Refused()
	if err != nil {
		return err
	}
	names, err := json.Marshal(append(refused, d.Refuse...))
	if err != nil {
		return err
	}
	return l.change(func(batch *pebble.Batch) error {
		err := batch.Set(append([]byte{keyInfo}, refusedName...), names, nil)
		for _, id := range d.Forget {
			err = errors.Join(err, batch.Delete(entryKey(id), nil), batch.Delete(auditKey(id), nil))
		}
		for _, id := range d.Suspect {
			err = errors.Join(err, batch.Set(suspectKey(id), binary.BigEndian.AppendUint64(nil, d.Epoch), nil))
		}
		for _, id := range d.Audit {
			err = errors.Join(err, batch.Set(auditKey(id), nil, nil))
		}
		return l.failure(err)
	})
}

// Suspects returns the windows of which copies made in the given epoch or before must not be used, see Distrust.
func (l *Ledger) Suspects() (map[puzzle.WindowID]uint64, error) {
	if err := l.enter(); err != nil {
		return nil, err
	}
	defer l.exit()
	all := make(map[puzzle.WindowID]uint64)
	err := l.scan([]byte{keySuspect}, func(key, value []byte) error {
		id, rest, err := cutWindow(key[1:])
		if err != nil || len(rest) > 0 || len(value) != 8 {
			return fmt.Errorf("ledger %s: %w: suspect key %x", l.dir, ErrCorrupt, key)
		}
		all[id] = binary.BigEndian.Uint64(value)
		return nil
	})
	return all, err
}

func suspectKey(id puzzle.WindowID) []byte { return appendWindow([]byte{keySuspect}, id) }
