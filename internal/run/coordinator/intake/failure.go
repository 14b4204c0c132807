package intake

import (
	"fmt"
	"slices"

	"pagoda/internal/run/coordinator/doubt"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// failure decides about a window that is reported as failed. why says why it is passed over.
func (d *Desk) failure(s *Sifted, worker string, f *protocol.Failure) (why string) {
	id := f.Window.ID()
	if d.Fleet.Owns(worker) || d.Copying(worker, f) {
		return ""
	}
	cell, _, err := d.Plan.Window(id)
	if err != nil {
		return protocol.Clip(err.Error())
	}
	if a, due := d.Doubt.Due(worker, f.Attempt, id); !due || !d.Fleet.Current(a, id) {
		return notAsked(worker, id)
	}
	switch f.Kind {
	case protocol.FailForeign, protocol.FailOverflow:
		if !d.Decides {
			return ""
		}
		// Both would end the run: no worker is believed that without proof.
		s.dispute(id, doubt.Claim{Worker: worker, Failure: f.Text})
		return fmt.Sprintf("window %s: the coordinator tries it itself", id)
	case protocol.FailMissing:
		d.missing(cell, f)
	}
	return ""
}

// Copying reports whether a failure is one to copy a window. A copy has no attempt; a worker that is asked for one may
// still fail to compute the window, which another worker has computed meanwhile.
func (d *Desk) Copying(worker string, f *protocol.Failure) bool {
	return f.Kind == protocol.FailCopy || f.Attempt == "" && d.Fleet.Copies(f.Window.ID()) == worker
}

// missing corrects a failure that blames a parent: only parents can be missing, and only a holder of one can be blamed
// for not having it.
func (d *Desk) missing(cell *plan.Cell, f *protocol.Failure) {
	_, w, err := d.Plan.Window(f.Missing.ID())
	if err != nil || !slices.Contains(cell.Parents, f.Missing.Cell) {
		text := fmt.Sprintf("window %s is missing, which is no parent: %s", f.Missing, f.Text)
		f.Kind, f.Text = protocol.FailError, protocol.Clip(text)
		return
	}
	if f.Unreachable {
		return
	}
	// Without any holder the news is old, see Plan.Lose.
	names := d.Plan.ReplicaNames(w)
	f.Holders = slices.DeleteFunc(slices.Clone(f.Holders), func(n string) bool { return !slices.Contains(names, n) })
	if len(f.Holders) == 0 {
		f.Loss = -1
	}
}
