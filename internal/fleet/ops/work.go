package ops

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pagoda/internal/run/protocol"
)

// WorkerMetrics are the metrics of a worker process, over all the runs that it serves.
type WorkerMetrics struct {
	windows *prometheus.CounterVec
	rows    prometheus.Counter
	bytes   prometheus.Counter
	took    prometheus.Histogram
	tasks   *prometheus.CounterVec
	busy    prometheus.Gauge
	last    prometheus.Gauge
	joined  *prometheus.GaugeVec
}

// NewWorkerMetrics registers the metrics of a worker.
func NewWorkerMetrics(r prometheus.Registerer, worker string, concurrency int) (*WorkerMetrics, error) {
	counter := func(name, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}
	}
	gauge := func(name, help string) prometheus.GaugeOpts {
		return prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}
	}
	m := &WorkerMetrics{
		windows: prometheus.NewCounterVec(counter("worker_windows_total",
			"Windows reported to coordinators: computed, reused (found on disk), or failed."), []string{"outcome"}),
		rows: prometheus.NewCounter(counter("worker_rows_total", "Rows in the windows computed."+rounded)),
		bytes: prometheus.NewCounter(counter("worker_window_bytes_total",
			"Coded size of the windows computed."+rounded)),
		took: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: namespace, Name: "worker_window_compute_seconds", Help: "Time to compute a window.",
			Buckets: windowSeconds,
		}),
		tasks: prometheus.NewCounterVec(counter("worker_tasks_total",
			"Tasks taken from the queue: settled, or returned to it."), []string{"outcome"}),
		busy: prometheus.NewGauge(gauge("worker_tasks", "Tasks in hand: computed, being committed or reported.")),
		last: prometheus.NewGauge(gauge("worker_last_report_timestamp_seconds",
			"When a coordinator last answered for a window; 0: not since the process started.")),
		joined: prometheus.NewGaugeVec(gauge("worker_run_info", "The run that the worker serves; 1 while it does."),
			[]string{"run"}),
	}
	n := prometheus.NewGauge(gauge("worker_concurrency", "Windows that are computed at a time."))
	n.Set(float64(concurrency))
	info := prometheus.NewGauge(gauge("worker_info", "Which worker this is; always 1."))
	info.Set(1)
	for _, outcome := range []string{"computed", "reused", "failed"} {
		m.windows.WithLabelValues(outcome)
	}
	for _, outcome := range []string{"settled", "returned"} {
		m.tasks.WithLabelValues(outcome)
	}
	if err := prometheus.WrapRegistererWith(prometheus.Labels{"worker": worker}, r).Register(info); err != nil {
		return nil, err
	}
	for _, c := range []prometheus.Collector{m.windows, m.rows, m.bytes, m.took, m.tasks, m.busy, m.last, m.joined, n} {
		if err := r.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Serves says that the worker serves a run, until the returned function is called.
func (m *WorkerMetrics) Serves(run string) (ends func()) {
	m.joined.WithLabelValues(run).Set(1)
	return func() { m.joined.DeleteLabelValues(run) }
}

// Work is a worker's end of a queue, with metrics and logs of its tasks. It can be closed for new tasks while the
// worker settles those in hand.
type Work struct {
	queue   protocol.WorkQueue
	metrics *WorkerMetrics
	log     *slog.Logger

	draining context.Context // done when no task is to be taken any more
	drain    func()
	inHand   atomic.Int64
	once     sync.Once
	settled  chan struct{} // closed when draining and nothing is in hand
}

// WatchWork puts a Work before a queue. log has the run and the worker among its attributes.
func WatchWork(q protocol.WorkQueue, m *WorkerMetrics, log *slog.Logger) *Work {
	w := &Work{queue: q, metrics: m, log: log, settled: make(chan struct{})}
	w.draining, w.drain = context.WithCancel(context.Background())
	return w
}

// Drain ends the taking of tasks. The channel that it returns is closed when those in hand are settled.
func (w *Work) Drain() <-chan struct{} {
	w.inHand.Add(1)
	w.drain()
	w.drop()
	return w.settled
}

// drop takes one off what is in hand.
func (w *Work) drop() {
	if w.inHand.Add(-1) == 0 && w.draining.Err() != nil {
		w.once.Do(func() { close(w.settled) })
	}
}

// Next implements protocol.WorkQueue. After Drain it waits for the end of ctx.
func (w *Work) Next(ctx context.Context) (protocol.Delivery, error) {
	// A slot that waits for a task counts as having one: between its arrival and its counting nothing must look settled.
	w.inHand.Add(1)
	pull, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.draining, cancel)()
	d, err := w.queue.Next(pull)
	if err == nil {
		w.metrics.busy.Inc()
		w.logTask(d.Task())
		return &watched{Delivery: d, work: w}, nil
	}
	w.drop()
	if w.draining.Err() != nil {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return nil, err
}

// logTask logs the windows of a task that was taken.
func (w *Work) logTask(t *protocol.Task) {
	for i := range t.Windows {
		tw := &t.Windows[i]
		LogWindow(w.log, slog.LevelDebug, MsgTaken, tw.ID(), If(AuditKey, tw.Audit),
			If(CopyKey, tw.Copy != nil))
	}
}

// Report implements protocol.WorkQueue.
func (w *Work) Report(ctx context.Context, r protocol.Report) (protocol.Reply, error) {
	reply, err := w.queue.Report(ctx, r)
	if err != nil || reply.Error != "" || reply.Rejoin {
		return reply, err
	}
	m := w.metrics
	for i := range r.Done {
		d := &r.Done[i]
		LogWindow(w.log, slog.LevelDebug, MsgReported, d.Record.ID(), slog.Uint64("rows", d.Record.Rows),
			slog.Uint64("bytes", d.Record.Bytes), If(AuditKey, d.Audit), If(ReusedKey, d.Reused))
		if d.Reused {
			m.windows.WithLabelValues("reused").Inc()
			continue
		}
		m.windows.WithLabelValues("computed").Inc()
		m.rows.Add(float64(d.Record.Rows))
		m.bytes.Add(float64(d.Record.Bytes))
		m.took.Observe(time.Duration(d.Nanos).Seconds())
	}
	for i := range r.Failures {
		f := &r.Failures[i]
		m.windows.WithLabelValues("failed").Inc()
		LogWindow(w.log, slog.LevelWarn, MsgFailed, f.Window.ID(), slog.String("kind", f.Kind), slog.String(ErrorKey, f.Text))
	}
	m.last.Set(seconds(time.Now()))
	return reply, nil
}

// watched is a task in hand.
type watched struct {
	protocol.Delivery
	work *Work
	once sync.Once
}

func (d *watched) leave(outcome string) {
	d.once.Do(func() {
		d.work.metrics.tasks.WithLabelValues(outcome).Inc()
		d.work.metrics.busy.Dec()
		d.work.drop()
	})
}

// Ack implements protocol.Delivery.
func (d *watched) Ack() error {
	defer d.leave("settled")
	return d.Delivery.Ack()
}

// Nak implements protocol.Delivery.
func (d *watched) Nak() error {
	defer d.leave("returned")
	return d.Delivery.Nak()
}
