package main

import (
	"testing"

	"pagoda/internal/run/coordinator"
)

func TestUnseenLies(t *testing.T) {
	for _, c := range []struct {
		fraction float64
		alone    bool
		want     string
	}{
		{0, true, "no window was audited: a lie is found only where a flow contradicts it"},
		{0.02, false, "a lie in k windows of one party goes unseen with probability 0.98^k at most, or 0.995^k if all " +
			"other workers confirm it"},
		{0.02, true, "a lie in k windows of one party goes unseen with probability 0.98^k at most, or 0.98^k if all other " +
			"workers confirm it"},
		{1, false, "every window was audited: a lie in k windows goes unseen only if all auditors confirm it, with " +
			"probability 0.75^k"},
		{1, true, "the coordinator has computed every window itself too: no lie goes unseen, whatever workers do"},
	} {
		if got := unseenLies(coordinator.Options{AuditFraction: c.fraction, AuditAlone: c.alone}); got != c.want {
			t.Errorf("%g, alone %t: %s", c.fraction, c.alone, got)
		}
	}
}
