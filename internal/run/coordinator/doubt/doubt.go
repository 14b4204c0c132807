package doubt

import (
	"slices"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/attempt"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// A Claim is a worker's statement about a window that another worker, or a flow, contradicts.
type Claim struct {
	Worker  string
	Record  kv.Record
	Failure string // not "": the worker says that the window cannot be computed
}

// maxClaims bounds the claims that are kept of one window.
const maxClaims = 8

// Doubt has the workers and windows that the coordinator of a run does not believe. It is for one goroutine.
type Doubt struct {
	epoch    uint64
	Marker   *attempt.Marker            // of attempts
	refused  map[string]kv.Refusal      // by party
	suspects map[puzzle.WindowID]uint64 // see kv.Ledger.Suspects
	claims   map[puzzle.WindowID][]Claim
	edges    []*plan.FlowError // whose flows contradict each other
	windows  map[puzzle.WindowID]bool
	due      []puzzle.WindowID // audits that another coordinator has left, of layers that are not planned yet
}

// New returns the doubt of a coordinator that believes every worker.
func New(epoch uint64) *Doubt {
	return &Doubt{
		epoch: epoch, Marker: attempt.NewMarker(nil), refused: make(map[string]kv.Refusal),
		claims: make(map[puzzle.WindowID][]Claim), windows: make(map[puzzle.WindowID]bool),
	}
}

// Load takes the secret, the refused workers, the suspect windows and the audits that are due of the ledger.
func (d *Doubt) Load(
	secret []byte, refused []kv.Refusal, suspects map[puzzle.WindowID]uint64, due ...puzzle.WindowID,
) {
	d.Marker = attempt.NewMarker(secret)
	for _, r := range refused {
		d.refused[protocol.Party(r.Worker)] = r
	}
	d.suspects, d.due = suspects, due
}

// Suspect reports whether a window was forgotten, because it was wrong or followed from a wrong one. A copy of it that
// a worker still has may be of that time.
func (d *Doubt) Suspect(id puzzle.WindowID) bool {
	_, suspect := d.suspects[id]
	return suspect
}

// Claim notes a statement that the coordinator cannot believe, one for each party.
func (d *Doubt) Claim(id puzzle.WindowID, q Claim) {
	known := slices.ContainsFunc(d.claims[id], func(o Claim) bool {
		return protocol.Party(o.Worker) == protocol.Party(q.Worker)
	})
	if !known && len(d.claims[id]) < maxClaims {
		d.claims[id] = append(d.claims[id], q)
	}
}

// Claimed reports whether there are claims of a window.
func (d *Doubt) Claimed(id puzzle.WindowID) bool { return len(d.claims[id]) > 0 }

// Claims lists the windows of which there are claims, in no order.
func (d *Doubt) Claims() (ids []puzzle.WindowID) {
	for id := range d.claims {
		ids = append(ids, id)
	}
	return ids
}

// Question has the coordinator decide about a window.
func (d *Doubt) Question(id puzzle.WindowID) { d.windows[id] = true }

// Unquestion takes back a Question.
func (d *Doubt) Unquestion(id puzzle.WindowID) { delete(d.windows, id) }

// Disputed reports whether a window is one that only the coordinator itself can decide.
func (d *Doubt) Disputed(id puzzle.WindowID) bool { return d.Claimed(id) || d.windows[id] }

// Settle notes that the coordinator has computed a window with the result that is in the ledger.
func (d *Doubt) Settle(id puzzle.WindowID) {
	delete(d.claims, id)
	delete(d.windows, id)
}
