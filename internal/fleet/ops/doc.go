// Package ops shows the state of a running process: metrics, health, logs.
//
// Both programs serve, where --http asks for it:
//
//	/healthz   200 while the process answers
//	/readyz    200 while it can do its work, otherwise 503 and one word that says why
//	/metrics   Prometheus metrics, described in docs/fleet.md
//
// These pages are numbers and fixed words. They take no keys and need none, so that a probe needs none either; the
// program itself serves more detailed pages, elsewhere.
//
// Metrics follow Prometheus's conventions: every name begins with pagoda_, has its unit, and ends in _total when it
// only grows. Prometheus keeps floats, which are exact up to 2^53: metrics are windows, rows, bytes and seconds, and no
// count of paths is ever one of them. Exact figures are those of `status` and of exports.
package ops
