package plan

import (
	"errors"
	"fmt"

	"pagoda/internal/kv"
)

// ErrPlan says that a ledger does not fit the plan of its run. Verify forgets the windows that do not.
var ErrPlan = errors.New("the run was begun by a program that planned it otherwise")

// Load records the entries of the ledger; held is told every entry that the plan has taken.
func (p *Plan) Load(run string, load func(func(kv.Entry) error) error, held func(kv.Entry) error) error {
	take := func(e kv.Entry) error {
		if _, _, err := p.CheckRecord(run, &e.Record); err != nil {
			return fmt.Errorf("%w: %w", ErrPlan, err)
		}
		if err := p.CheckTally(&e.Record); err != nil {
			return err
		}
		err := p.CommitRecord(&e.Record)
		var flow *FlowError
		if p.Suspect && errors.As(err, &flow) {
			p.FlowErrors, err = append(p.FlowErrors, flow), nil
		}
		if err != nil {
			return err
		}
		if _, w, err := p.Window(e.Record.ID()); err == nil {
			p.NoteReporters(w, e.Reporters()...)
		}
		return held(e)
	}
	if err := load(func(e kv.Entry) error { return p.Place(e, take) }); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	return p.Extend()
}

// Place passes an entry of the ledger to take, once its layer is planned. Entries come in the order of their layers,
// so a layer that depends on results is decided when its entries come, except when one of those results was forgotten
// since: then they wait.
func (p *Plan) Place(e kv.Entry, take func(kv.Entry) error) error {
	n := e.Record.Layer
	if n >= len(p.PlannedLayers) && !p.Decided {
		if err := p.Extend(); err != nil {
			return err
		}
		if n >= len(p.PlannedLayers) && !p.Decided {
			p.stash[n] = append(p.stash[n], stashed{e.Record.ID(), func() error { return take(e) }})
			return nil
		}
	}
	return take(e)
}

// unstash records the entries that waited for layer n.
func (p *Plan) unstash(n int) error {
	waiting := p.stash[n]
	delete(p.stash, n)
	for _, s := range waiting {
		if err := s.take(); err != nil {
			return fmt.Errorf("ledger: %w", err)
		}
	}
	return nil
}
