package assignment

import (
	"slices"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
)

// Copies is the account of the copies of windows that workers are asked to make. It is for one goroutine.
type Copies struct {
	due  []puzzle.WindowID
	out  map[puzzle.WindowID]string // the worker that was asked
	made int
}

// maxCopies is how many copies may be under way.
const maxCopies = 64

// Want notes that a window should be copied.
func (s *Copies) Want(id puzzle.WindowID) { s.due = append(s.due, id) }

// WantNone forgets the copies that are wanted and not under way.
func (s *Copies) WantNone() { s.due = s.due[:0] }

// Due counts the copies that are wanted and not under way.
func (s *Copies) Due() int { return len(s.due) }

// Out counts the copies under way.
func (s *Copies) Out() int { return len(s.out) }

// Made counts the copies that were made.
func (s *Copies) Made() int { return s.made }

// With returns the worker that was asked for a copy of a window, "" when none was.
func (s *Copies) With(id puzzle.WindowID) string { return s.out[id] }

// Ask calls ask for each window that is due, until maxCopies are under way. A window for which ask returns "", because
// no worker is there for it now, is forgotten until another Want.
func (s *Copies) Ask(ask func(id puzzle.WindowID) (worker string)) {
	if s.out == nil {
		s.out = make(map[puzzle.WindowID]string)
	}
	n := 0
	for ; n < len(s.due) && len(s.out) < maxCopies; n++ {
		id := s.due[n]
		if s.out[id] != "" {
			continue
		}
		if to := ask(id); to != "" {
			s.out[id] = to
		}
	}
	s.due = slices.Delete(s.due, 0, n)
}

// Complete notes that a copy was made or not. It reports whether that worker was asked for it.
func (s *Copies) Complete(id puzzle.WindowID, worker string, made bool) bool {
	if to, ok := s.out[id]; !ok || to != worker {
		return false
	}
	delete(s.out, id)
	if made {
		s.made++
	}
	return true
}

// TakeBack makes the copies due again that a worker was to make.
func (s *Copies) TakeBack(worker string) {
	for id, to := range s.out {
		if to == worker {
			delete(s.out, id)
			s.due = append(s.due, id)
		}
	}
}

// reset makes the copies under way due again.
func (s *Copies) reset() {
	for id := range s.out {
		s.due = append(s.due, id)
	}
	clear(s.out)
}

// LeastLoaded names the worker that should take a further copy of a window: of names the one that holds fewest windows.
func LeastLoaded(p *plan.Plan, w *plan.Window, names []string) string {
	has := p.ReplicaNames(w)
	best, least := "", 0
	for _, name := range names {
		if slices.Contains(has, name) {
			continue
		}
		if n := p.HeldBy(name); best == "" || n < least {
			best, least = name, n
		}
	}
	return best
}
