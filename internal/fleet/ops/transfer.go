package ops

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"pagoda/internal/fleet/archive"
	"pagoda/internal/fleet/transfer"
)

// TransferMetrics are about the windows that a process gives to others and gets from them.
type TransferMetrics struct {
	all                       []prometheus.Collector
	sent, received            prometheus.Counter
	windowsSent, windowsGot   prometheus.Counter
	sendErrors, receiveErrors *prometheus.CounterVec
	seconds                   prometheus.Histogram
	archived, archivedBytes   prometheus.Counter
	archiveErrors             prometheus.Counter
	archiveWaiting            prometheus.Gauge
	onDisk                    atomic.Pointer[func() uint64]
}

// NewTransferMetrics returns metrics that nothing was counted in yet.
func NewTransferMetrics() *TransferMetrics {
	m := &TransferMetrics{}
	counter := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
		m.all = append(m.all, c)
		return c
	}
	kinds := func(name, help string) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help},
			[]string{"kind"})
		for _, k := range transfer.Kinds {
			v.WithLabelValues(string(k))
		}
		m.all = append(m.all, v)
		return v
	}
	m.sent = counter("transfer_sent_bytes_total", "Bytes of windows sent to other workers."+rounded)
	m.received = counter("transfer_received_bytes_total",
		"Bytes of windows received from other workers, in vain or not."+rounded)
	m.windowsSent = counter("transfer_sent_windows_total", "Windows sent to other workers, in one or several pieces.")
	m.windowsGot = counter("transfer_received_windows_total", "Windows received from other workers and checked.")
	m.sendErrors = kinds("transfer_send_errors_total", "Requests for windows that were not served to their end.")
	m.receiveErrors = kinds("transfer_receive_errors_total", "Attempts at other workers' windows that failed.")
	m.seconds = prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: namespace, Name: "transfer_receive_seconds", Help: "Time to get a window from other workers.",
		Buckets: windowSeconds,
	})
	m.archived = counter("archive_uploaded_windows_total", "Windows uploaded to the archive.")
	m.archivedBytes = counter("archive_uploaded_bytes_total", "Bytes of windows uploaded to the archive."+rounded)
	m.archiveErrors = counter("archive_upload_errors_total", "Uploads to the archive that failed and are tried again.")
	m.archiveWaiting = prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: namespace, Name: "archive_waiting_windows", Help: "Windows that are still to be uploaded to the archive.",
	})
	kept := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: namespace, Name: "transfer_kept_bytes", Help: "Bytes of disk that windows of other workers take.",
	}, func() float64 {
		if bytes := m.onDisk.Load(); bytes != nil {
			return float64((*bytes)())
		}
		return 0
	})
	m.all = append(m.all, m.seconds, m.archiveWaiting, kept)
	return m
}

// Served counts a request that was answered; it is a transfer.ServerOptions.OnServed.
func (m *TransferMetrics) Served(s transfer.Served) {
	m.sent.Add(float64(s.Bytes))
	if s.Kind != "" {
		m.sendErrors.WithLabelValues(string(s.Kind)).Inc()
		return
	}
	m.windowsSent.Inc()
}

// Fetched counts a window that was fetched; it is a transfer.Options.OnFetched.
func (m *TransferMetrics) Fetched(f transfer.Fetched) {
	m.received.Add(float64(f.Bytes))
	for _, e := range f.Errors {
		m.receiveErrors.WithLabelValues(string(e.Kind)).Inc()
	}
	if f.Err == nil {
		m.windowsGot.Inc()
		m.seconds.Observe(f.Took.Seconds())
	}
}

// Keeps adds the bytes of disk that fetched windows take, until the returned function is called.
func (m *TransferMetrics) Keeps(bytes func() uint64) (stop func()) {
	m.onDisk.Store(&bytes)
	return func() { m.onDisk.CompareAndSwap(&bytes, nil) }
}

// Archived counts an upload to the archive; it is an archive.UploaderOptions.OnUploaded.
func (m *TransferMetrics) Archived(u archive.Uploaded) {
	m.archiveWaiting.Set(float64(u.Waiting))
	if u.Err != nil {
		m.archiveErrors.Inc()
		return
	}
	m.archived.Inc()
	m.archivedBytes.Add(float64(u.Bytes))
}

// Describe implements prometheus.Collector.
func (m *TransferMetrics) Describe(ch chan<- *prometheus.Desc) {
	for _, c := range m.all {
		c.Describe(ch)
	}
}

// Collect implements prometheus.Collector.
func (m *TransferMetrics) Collect(ch chan<- prometheus.Metric) {
	for _, c := range m.all {
		c.Collect(ch)
	}
}
