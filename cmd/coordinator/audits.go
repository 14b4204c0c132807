package main

import (
	"fmt"

	"pagoda/internal/config"
	"pagoda/internal/run/coordinator"
)

// audits returns the settings of audits: windows of workers in other processes that are computed a second time.
func audits(c *config.Config) coordinator.Options {
	return coordinator.Options{
		AuditFraction: c.Share("audit_fraction"), AuditAlone: c.Text("audit_by") == config.AuditByCoordinator,
	}
}

// unseenLies returns a sentence on the lies that the audits of a run miss.
func unseenLies(o coordinator.Options) string {
	alone, helped := o.Unseen(1, false), o.Unseen(1, true)
	switch {
	case o.AuditFraction == 0:
		return "no window was audited: a lie is found only where a flow contradicts it"
	case helped == 0:
		return "the coordinator has computed every window itself too: no lie goes unseen, whatever workers do"
	case alone == 0:
		return fmt.Sprintf("every window was audited: a lie in k windows goes unseen only if all auditors confirm it, "+
			"with probability %.6g^k", helped)
	}
	return fmt.Sprintf("a lie in k windows of one party goes unseen with probability %.6g^k at most, "+
		"or %.6g^k if all other workers confirm it", alone, helped)
}
