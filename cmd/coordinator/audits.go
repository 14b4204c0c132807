package main

import (
	"pagoda/internal/config"
	"pagoda/internal/run/coordinator"
)

// audits returns the settings of audits: windows of workers in other processes that are computed a second time.
func audits(c *config.Config) coordinator.Options {
	return coordinator.Options{
		AuditFraction: c.Share("audit_fraction"), AuditAlone: c.Text("audit_by") == config.AuditByCoordinator,
	}
}
