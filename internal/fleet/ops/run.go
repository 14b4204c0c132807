package ops

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/status"
)

// states are all values of the label of pagoda_run_state.
var states = []string{
	status.StateRunning, status.StateExporting, status.StateStopped, status.StateComplete, status.StateFailed,
}

// workerStates are all values of the label of pagoda_run_workers.
var workerStates = []string{
	status.WorkerActive, status.WorkerJoining, status.WorkerLeaving, status.WorkerFull,
}

// WatchRun adds the metrics of a run to a registry of its coordinator. latest gives the present state, and false while
// there is none. The events that are returned measure, and then call those given.
func WatchRun(
	r prometheus.Registerer, run, name string, latest func() (*status.Status, bool), e coordinator.Events,
) (coordinator.Events, error) {
	r = prometheus.WrapRegistererWith(prometheus.Labels{"run": run}, r)
	took := prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: namespace, Name: "window_compute_seconds", Help: "Time that workers took to compute a window.",
		Buckets: windowSeconds,
	})
	last := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: namespace, Name: "last_commit_timestamp_seconds",
		Help: "When a window was last written to the ledger; 0: not since the process started.",
	})
	sent := prometheus.NewCounter(prometheus.CounterOpts{
		Namespace: namespace, Name: "tasks_resubmitted_total", Help: "Tasks that the queue lost and that were sent again.",
	})
	for _, c := range []prometheus.Collector{took, last, sent, runFigures(name, latest)} {
		if err := r.Register(c); err != nil {
			return e, err
		}
	}
	committed, resubmitted := e.Committed, e.Resubmitted
	e.Committed = func(v coordinator.Committed) {
		if !v.Reused {
			took.Observe(v.Took.Seconds())
		}
		last.Set(seconds(time.Now()))
		if committed != nil {
			committed(v)
		}
	}
	e.Resubmitted = func(v coordinator.Resubmitted) {
		sent.Add(float64(v.Tasks))
		if resubmitted != nil {
			resubmitted(v)
		}
	}
	return e, nil
}

// seconds is the time in seconds since 1970, 0 for none.
func seconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}

func runFigures(name string, latest func() (*status.Status, bool)) prometheus.Collector {
	type snap = status.Status
	info := describe("run_info", "Which run this is; always 1.", "puzzle", "name")
	state := describe("run_state", "1 for the state that the run is in, 0 for the others.", "state")
	workers := describe("run_workers", "Worker processes that the coordinator knows to live.", "state")
	return &snapshot[snap]{
		take: latest,
		figures: []figure[snap]{
			gauge("run_layers_planned", "Layers planned so far.",
				func(s *snap) float64 { return float64(len(s.Layers)) }),
			gauge("run_layers_complete", "Layers whose windows are all in the ledger.", layersComplete),
			gauge("run_windows_planned", "Windows planned so far.",
				func(s *snap) float64 { return float64(s.Windows) }),
			gauge("run_windows_committed", "Windows in the ledger.", func(s *snap) float64 { return float64(s.Done) }),
			gauge("run_rows", "Rows in the windows in the ledger."+rounded,
				func(s *snap) float64 { return float64(s.Rows) }),
			gauge("run_bytes", "Coded size of the windows in the ledger."+rounded,
				func(s *snap) float64 { return float64(s.Bytes) }),
			counter("windows_committed_total", "Windows written to the ledger since the process started.",
				func(s *snap) float64 { return float64(s.Committed) }),
			counter("rows_committed_total", "Rows in windows written to the ledger since the process started."+rounded,
				func(s *snap) float64 { return float64(s.NewRows) }),
			counter("window_attempts_failed_total", "Attempts at a window that failed, since the process started.",
				func(s *snap) float64 { return float64(s.Retries) }),
			counter("windows_lost_total", "Windows whose rows were lost, since the process started.",
				func(s *snap) float64 { return float64(s.Lost) }),
			gauge("last_success_timestamp_seconds", "When the run was complete; 0: it is not.",
				func(s *snap) float64 {
					if s.State != status.StateComplete {
						return 0
					}
					return seconds(s.Updated)
				}),
			gauge("run_windows_ready", "Windows that workers compute, or could compute at this moment.",
				func(s *snap) float64 { return float64(s.Ready) }),
			gauge("run_windows_quarantined", "Windows that were set aside because every attempt failed.",
				func(s *snap) float64 { return float64(len(s.Quarantined)) }),
			gauge("run_epoch", "Epoch of the coordinator: how many there have been of the run.",
				func(s *snap) float64 { return float64(s.Epoch) }),
			gauge("run_concurrency", "Windows that the workers compute at a time.",
				func(s *snap) float64 { return float64(s.Concurrency) }),
			gauge("run_concurrency_busy", "Slots of the workers of a fleet that compute just now.", busy),
			counter("workers_lost_total",
				"Workers that fell silent unannounced, or did not serve their windows, since the process started.",
				func(s *snap) float64 { return float64(s.WorkersLost) }),
			gauge("run_queue_down", "1 while the coordinator cannot use the queue: NATS is away or has no quorum.",
				func(s *snap) float64 {
					if s.QueueDown != "" {
						return 1
					}
					return 0
				}),
			counter(
				"run_parent_fetch_bytes_estimated_total",
				"Size of parents that workers did not hold when they were given a task."+rounded,
				func(s *snap) float64 { return float64(s.MovedBytes) },
			),
			counter("windows_audited_total", "Windows computed a second time and compared, since the process started.",
				func(s *snap) float64 { return float64(s.Audited) }),
			counter("windows_copied_total", "Windows copied for the sake of replicas, since the process started.",
				func(s *snap) float64 { return float64(s.Copied) }),
		},
		labeled: []*prometheus.Desc{info, state, workers},
		more: func(s *snap, ch chan<- prometheus.Metric) {
			ch <- prometheus.MustNewConstMetric(info, prometheus.GaugeValue, 1, s.Puzzle, name)
			for _, v := range states {
				is := 0.
				if v == s.State {
					is = 1
				}
				ch <- prometheus.MustNewConstMetric(state, prometheus.GaugeValue, is, v)
			}
			for _, v := range workerStates {
				n := 0
				for i := range s.Workers {
					if s.Workers[i].State == v {
						n++
					}
				}
				ch <- prometheus.MustNewConstMetric(workers, prometheus.GaugeValue, float64(n), v)
			}
		},
	}
}

func busy(s *status.Status) float64 {
	n := 0
	for i := range s.Workers {
		n += s.Workers[i].Busy
	}
	return float64(n)
}

func layersComplete(s *status.Status) float64 {
	n := 0
	for _, l := range s.Layers {
		if l.Done == l.Windows {
			n++
		}
	}
	return float64(n)
}
