// Package alerts has nothing but a test, which evaluates the alerts of deploy/observability with Prometheus's own engine
// on made-up series, and parses what the dashboard asks for. It is a module of its own, so that Prometheus stays out of
// the programs.
package alerts
