package coordinator

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"

	"pagoda/internal/protocol"
	"pagoda/internal/puzzle"
)

// A report counts when it is due: its worker has the task. The coordinator marks every window of a task with an
// attempt, which only it can make and only who has the task can know, and a report carries it back:
//
//	EPOCH.SERIAL.KIND.MAC
//
// SERIAL numbers the tasks of the epoch, and KIND says whether the task is for one worker (d) or for anyone (c), with
// an a for an audit. MAC is a keyed hash over that, the worker and the window. The key is the ledger's secret, so that
// the next coordinator knows the attempts of this one: what was computed for it is not lost. Nothing is kept per
// attempt.

// attempt is what the mark of an attempt says.
type attempt struct {
	epoch, serial   uint64
	directed, audit bool
}

func (a attempt) String() string {
	kind := "c"
	if a.directed {
		kind = "d"
	}
	if a.audit {
		kind += "a"
	}
	return fmt.Sprintf("%d.%d.%s", a.epoch, a.serial, kind)
}

// macBytes is the size of the hash in a mark: 80 bits are not guessed.
const macBytes = 10

// marker makes and recognises the marks of attempts. One goroutine uses it.
type marker struct{ mac hash.Hash }

func newMarker(secret []byte) *marker { return &marker{hmac.New(sha256.New, secret)} }

// sum hashes some texts, none of which has a zero byte.
func (m *marker) sum(texts ...string) []byte {
	m.mac.Reset()
	for _, t := range texts {
		m.mac.Write([]byte(t))
		m.mac.Write([]byte{0})
	}
	return m.mac.Sum(nil)
}

// mark makes the mark of a window's attempt; to is the worker of a directed one.
func (m *marker) mark(a attempt, id puzzle.WindowID, to string) string {
	head := a.String()
	return head + "." + hex.EncodeToString(m.sum("attempt", head, to, id.String())[:macBytes])
}

// read returns what the mark that a worker shows for a window says; ok is false when it was not made for that worker
// and that window.
func (m *marker) read(mark string, id puzzle.WindowID, worker string) (a attempt, ok bool) {
	f := strings.Split(mark, ".")
	if len(f) != 4 {
		return a, false
	}
	if _, err := fmt.Sscanf(f[0]+" "+f[1], "%d %d", &a.epoch, &a.serial); err != nil {
		return a, false
	}
	a.directed, a.audit = strings.HasPrefix(f[2], "d"), strings.HasSuffix(f[2], "a")
	to := ""
	if a.directed {
		to = worker
	}
	return a, hmac.Equal([]byte(m.mark(a, id, to)), []byte(mark))
}

// sample draws a number in [0, 1) for a window, which nobody can foresee who does not know the secret.
func (m *marker) sample(what string, id puzzle.WindowID) float64 {
	const bits = 53 // of a float64
	b := m.sum(what, id.String())
	var n uint64
	for _, x := range b[:8] {
		n = n<<8 | uint64(x)
	}
	return float64(n>>(64-bits)) / (1 << bits)
}

// markTask marks the windows of a task that other processes may see.
func (c *Coordinator) markTask(t *protocol.Task, serial uint64) {
	for i := range t.Windows {
		w := &t.Windows[i]
		a := attempt{epoch: c.o.Epoch, serial: serial, directed: t.To != "", audit: w.Audit}
		w.Attempt = c.marker.mark(a, w.ID(), t.To)
		// Also of one that has been computed since: a worker may have an old copy.
		if _, suspect := c.suspects[w.ID()]; suspect && !w.Audit {
			w.Fresh = true
		}
	}
}

// due returns the attempt that a report of a window belongs to; ok is false when it belongs to none that may still be
// reported.
func (c *Coordinator) due(worker, mark string, id puzzle.WindowID) (a attempt, ok bool) {
	a, ok = c.marker.read(mark, id, worker)
	if !ok || a.epoch > c.o.Epoch {
		return a, false
	}
	// What was begun before a window was forgotten may have been computed from wrong rows.
	if epoch, suspect := c.suspects[id]; suspect && a.epoch <= epoch {
		return a, false
	}
	return a, true
}

// current reports whether an attempt is the one that is under way.
func (c *Coordinator) current(a attempt, id puzzle.WindowID) bool {
	t := c.inflight.tasks[c.inflight.windows[id]]
	return t != nil && a.epoch == c.o.Epoch && t.serial == a.serial
}
