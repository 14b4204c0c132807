package ops

import "github.com/prometheus/client_golang/prometheus"

// Members are the members of a batch, by the state that they are in.
type Members struct{ Waiting, Running, Complete, Failed int }

// WatchBatch adds the metrics of a batch to a registry of its coordinator: how many of its members are in each state,
// as latest says.
func WatchBatch(r prometheus.Registerer, latest func() Members) error {
	members := describe("batch_members", "Members of the batch.", "state")
	return r.Register(&snapshot[Members]{
		take: func() (*Members, bool) {
			m := latest()
			return &m, true
		},
		labeled: []*prometheus.Desc{members},
		more: func(m *Members, ch chan<- prometheus.Metric) {
			for state, n := range map[string]int{
				"waiting": m.Waiting, "running": m.Running, "complete": m.Complete, "failed": m.Failed,
			} {
				ch <- prometheus.MustNewConstMetric(members, prometheus.GaugeValue, float64(n), state)
			}
		},
	})
}
