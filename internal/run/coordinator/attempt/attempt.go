// Package attempt makes and recognises the marks of attempts. The coordinator gives a mark with every window of a task,
// and a report of the window brings it back. Only the coordinator can make a mark, and only a reader of the task can
// know it:
//
//	EPOCH.SERIAL.KIND.MAC
//
// SERIAL numbers the tasks of the epoch, and KIND says whether the task is for one worker (d) or for any (c), with an a
// for an audit. MAC is a keyed hash over that, the worker and the window. The key is the ledger's secret, so that the
// next coordinator knows the attempts of this one: their results are not lost. Nothing is kept per attempt.
package attempt

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"

	"pagoda/internal/puzzle"
)

// An Attempt is the content of a mark.
type Attempt struct {
	Epoch, Serial uint64 // the task
	Directed      bool   // the task is for one worker, not for the first that takes it
	Audit         bool   // the window is computed a second time, to be compared
}

func (a Attempt) String() string {
	kind := "c"
	if a.Directed {
		kind = "d"
	}
	if a.Audit {
		kind += "a"
	}
	return fmt.Sprintf("%d.%d.%s", a.Epoch, a.Serial, kind)
}

// macBytes is the size of the hash in a mark: 80 bits are not guessed.
const macBytes = 10

// A Marker makes and recognises marks. One goroutine uses it.
type Marker struct{ mac hash.Hash }

// NewMarker returns a marker whose marks cannot be made without the secret.
func NewMarker(secret []byte) *Marker { return &Marker{hmac.New(sha256.New, secret)} }

// sum hashes some texts, none of which has a zero byte.
func (m *Marker) sum(texts ...string) []byte {
	m.mac.Reset()
	for _, t := range texts {
		m.mac.Write([]byte(t))
		m.mac.Write([]byte{0})
	}
	return m.mac.Sum(nil)
}

// Mark makes the mark of a window's attempt; to is the worker of a directed one.
func (m *Marker) Mark(a Attempt, id puzzle.WindowID, to string) string {
	head := a.String()
	return head + "." + hex.EncodeToString(m.sum("attempt", head, to, id.String())[:macBytes])
}

// Read returns the content of a mark that a worker shows for a window; ok is false when the mark was not made for that
// worker and that window.
func (m *Marker) Read(mark string, id puzzle.WindowID, worker string) (a Attempt, ok bool) {
	f := strings.Split(mark, ".")
	if len(f) != 4 {
		return a, false
	}
	if _, err := fmt.Sscanf(f[0]+" "+f[1], "%d %d", &a.Epoch, &a.Serial); err != nil {
		return a, false
	}
	a.Directed, a.Audit = strings.HasPrefix(f[2], "d"), strings.HasSuffix(f[2], "a")
	to := ""
	if a.Directed {
		to = worker
	}
	return a, hmac.Equal([]byte(m.Mark(a, id, to)), []byte(mark))
}

// Sample draws a number in [0, 1) for a window. It cannot be foreseen without the secret. Another what draws another
// number.
func (m *Marker) Sample(what string, id puzzle.WindowID) float64 {
	const bits = 53 // of a float64
	b := m.sum(what, id.String())
	var n uint64
	for _, x := range b[:8] {
		n = n<<8 | uint64(x)
	}
	return float64(n>>(64-bits)) / (1 << bits)
}
