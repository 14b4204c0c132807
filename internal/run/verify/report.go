package verify

import (
	"fmt"

	"pagoda/internal/puzzle/plural"
	"pagoda/internal/run/plan"
)

// Kinds of Finding.
const (
	FindFolder    = "folder"    // A damaged store or ledger was replaced by a copy of its readable windows.
	FindLedger    = "ledger"    // An entry of the ledger does not fit the plan.
	FindRecord    = "record"    // The store's record is not the one of the ledger.
	FindRows      = "rows"      // Rows are damaged, or missing though the ledger says that they are here.
	FindFlow      = "flow"      // The ends of an edge disagree.
	FindTally     = "tally"     // Numbers of a window contradict each other, or tallies cannot be added up.
	FindTotals    = "totals"    // Results contradict each other, or a second count of them.
	FindRecompute = "recompute" // A window came out otherwise when it was computed again.
)

// A Finding is a fault in the data of a run.
type Finding struct {
	Kind   string `json:"kind"`
	Window string `json:"window"` // its name; of an edge, the first window of the child; empty where it is none
	Text   string `json:"text"`
}

// A Report lists the checks that were made, those that were not, and the findings.
type Report struct {
	Run        string `json:"run"`
	Planned    int    `json:"planned"`    // windows of planned layers
	Windows    int    `json:"windows"`    // windows in the ledger
	Read       int    `json:"read"`       // windows whose rows match the digests of their records
	Recomputed int    `json:"recomputed"` // windows computed again with the same rows and tally
	OnTrust    int    `json:"on_trust"`   // windows in the ledger: neither read, nor recomputed, nor found bad
	Absent     int    `json:"absent"`     // windows whose rows are not in this folder: dropped, or with the workers
	// Unlisted counts the windows of the store that the ledger lacks. An interrupted run leaves a few; many say that the
	// ledger was lost.
	Unlisted int    `json:"unlisted,omitempty"`
	Blocks   uint64 `json:"blocks"`
	Rows     uint64 `json:"rows"`
	Bytes    uint64 `json:"bytes"`
	Edges    int    `json:"edges"` // on which the flow was compared
	// EdgesUnchecked are those between complete cells where neither end counts a flow, so that there is nothing to
	// compare.
	EdgesUnchecked int       `json:"edges_unchecked"`
	Complete       bool      `json:"complete"` // every window of every layer is committed
	Findings       []Finding `json:"findings,omitempty"`
	// Recounts are the results that were counted a second time, in another way than the run did.
	Recounts []Recounted `json:"recounts,omitempty"`
	// Recomputation gives the drawn windows and their results; nil when none were to be computed again.
	Recomputation *Recomputation `json:"recomputation,omitempty"`
	Repaired      int            `json:"repaired,omitempty"` // windows that the next run computes again
	// Results are the totals that the ledger adds up to, for the caller to compare with others.
	Results *plan.Plan `json:"-"`
}

// Empty reports whether windows are planned and none is there to check.
func (r *Report) Empty() bool { return r.Windows == 0 && !r.Complete }

// Checked says in words how many windows were checked, and how.
func (r *Report) Checked() string {
	text := plural.Of(r.Windows, "window")
	if !r.Complete {
		text = fmt.Sprintf("%d of %s", r.Windows, plural.Of(r.Planned, "planned window"))
	}
	return fmt.Sprintf("%s: %d read, %d recomputed, %d on trust", text, r.Read, r.Recomputed, r.OnTrust)
}

// Verdict says in one line what was checked and whether an error was found. It claims nothing beyond that.
func (r *Report) Verdict() string {
	switch n := len(r.Findings); {
	case n > 0:
		return fmt.Sprintf("%s; %s", r.Checked(), plural.Of(n, "error"))
	case r.Empty():
		return "no window is committed: nothing was verified"
	case r.Windows == 0:
		return "the run has no windows, there was nothing to compute; no error found"
	case !r.Complete:
		return "incomplete, " + r.Checked() + "; no error found in these"
	}
	return r.Checked() + "; no error found"
}
