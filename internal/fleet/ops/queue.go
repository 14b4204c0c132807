package ops

import (
	"github.com/prometheus/client_golang/prometheus"
)

// QueueMetrics are about a process's connection to NATS.
type QueueMetrics struct {
	connected   prometheus.Gauge
	disconnects prometheus.Counter
}

// NewQueueMetrics returns the metrics of a connection that is not there yet.
func NewQueueMetrics() *QueueMetrics {
	return &QueueMetrics{
		connected: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: namespace, Name: "nats_connected", Help: "1 while there is a connection to NATS.",
		}),
		disconnects: prometheus.NewCounter(prometheus.CounterOpts{
			Namespace: namespace, Name: "nats_disconnects_total", Help: "Connections to NATS that were lost.",
		}),
	}
}

// Up says that there is a connection.
func (m *QueueMetrics) Up() { m.connected.Set(1) }

// Down says that it was lost.
func (m *QueueMetrics) Down() {
	m.connected.Set(0)
	m.disconnects.Inc()
}

// Describe implements prometheus.Collector.
func (m *QueueMetrics) Describe(ch chan<- *prometheus.Desc) {
	m.connected.Describe(ch)
	m.disconnects.Describe(ch)
}

// Collect implements prometheus.Collector.
func (m *QueueMetrics) Collect(ch chan<- prometheus.Metric) {
	m.connected.Collect(ch)
	m.disconnects.Collect(ch)
}
