package ops

import (
	"runtime"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"pagoda/internal/output/build"
)

const namespace = "pagoda"

// rounded goes into the help of metrics that can pass 2^53.
const rounded = " Prometheus rounds it beyond 2^53."

// windowSeconds are the bounds of the histograms of computing times: 1 ms to 17 minutes, by fours.
var windowSeconds = prometheus.ExponentialBuckets(0.001, 4, 11)

// NewMetrics returns a registry with the metrics of every process: pagoda_build_info, and the collectors of the Go
// runtime and of the process. format is the version of the data format.
func NewMetrics(program string, b build.Info, format int) *prometheus.Registry {
	r := prometheus.NewRegistry()
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info", Help: "Which program this is; always 1.",
		ConstLabels: prometheus.Labels{
			"program": program, "version": b.Version, "revision": b.Revision, "goversion": runtime.Version(),
			"format": strconv.Itoa(format),
		},
	})
	info.Set(1)
	r.MustRegister(info, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// A figure is a metric that is read off a snapshot T at each scrape.
type figure[T any] struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(*T) float64
}

// gauge is a figure that goes up and down.
func gauge[T any](name, help string, read func(*T) float64) figure[T] {
	return figure[T]{describe(name, help), prometheus.GaugeValue, read}
}

// counter is a figure that only grows while the process lives.
func counter[T any](name, help string, read func(*T) float64) figure[T] {
	return figure[T]{describe(name, help), prometheus.CounterValue, read}
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, labels, nil)
}

// A snapshot collects figures that are all of one moment.
type snapshot[T any] struct {
	take    func() (v *T, ok bool) // ok is false while there is nothing to show
	figures []figure[T]
	more    func(v *T, ch chan<- prometheus.Metric) // metrics with labels; nil: none
	labeled []*prometheus.Desc                      // what more sends
}

// Describe implements prometheus.Collector.
func (s *snapshot[T]) Describe(ch chan<- *prometheus.Desc) {
	for _, f := range s.figures {
		ch <- f.desc
	}
	for _, d := range s.labeled {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (s *snapshot[T]) Collect(ch chan<- prometheus.Metric) {
	v, ok := s.take()
	if !ok {
		return
	}
	for _, f := range s.figures {
		ch <- prometheus.MustNewConstMetric(f.desc, f.kind, f.read(v))
	}
	if s.more != nil {
		s.more(v, ch)
	}
}
