package ops

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"go.uber.org/goleak"

	"pagoda/internal/fleet/keys"
	"pagoda/internal/kv"
	"pagoda/internal/output/build"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/status"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func serve(t *testing.T, h http.Handler) (get func(path string) (int, string)) {
	t.Helper()
	s, err := Listen(t.Context(), "127.0.0.1:0", nil, h)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return func(path string) (int, string) {
		t.Helper()
		r, err := client.Get("http://" + s.Address() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = r.Body.Close() }()
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(b)
	}
}

func TestPages(t *testing.T) {
	var why atomic.Value
	why.Store("starting")
	metrics := NewMetrics("p", build.Info{Version: "v1", Revision: "abc"}, 7)
	get := serve(t, Pages(metrics, func() string { return why.Load().(string) }))
	for _, test := range []struct {
		why, path string
		code      int
		body      string
	}{
		{"starting", "/healthz", 200, "ok\n"},
		{"starting", "/readyz", 503, "starting\n"},
		{"", "/readyz", 200, "ok\n"},
		{"", "/", 404, "404 page not found\n"},
		{"", "/v1/status", 404, "404 page not found\n"},
	} {
		why.Store(test.why)
		if code, body := get(test.path); code != test.code || body != test.body {
			t.Errorf("%s: %d %q, want %d %q", test.path, code, body, test.code, test.body)
		}
	}
	code, body := get("/metrics")
	want := `pagoda_build_info{format="7",goversion="go`
	if code != 200 || !strings.Contains(body, want) || !strings.Contains(body, "process_open_fds") {
		t.Errorf("metrics: %d\n%s", code, body)
	}
}

// window is a window of the layer 3.
func window(part int) puzzle.Window {
	return puzzle.Window{Cell: puzzle.Cell{Layer: 3, Key: "a"}, Part: part, First: uint64(part), Addresses: 1}
}

// TestMetricsFollowTheConventions gathers what both programs show after some work.
func TestMetricsFollowTheConventions(t *testing.T) {
	r := NewMetrics("p", build.Info{Version: "v1", Revision: "abc"}, 7)
	m, err := NewWorkerMetrics(r, "w1", 2)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Serves("r1")()
	present := &status.Status{
		Run: "r1", Puzzle: "peg", State: status.StateRunning, Windows: 10, Done: 4, Rows: 1 << 40,
		Layers: []plan.Progress{{Layer: 0, Windows: 4, Done: 4}, {Layer: 1, Windows: 6}}, Concurrency: 6,
		FleetStatus: status.FleetStatus{
			Epoch: 3, QueueDown: "no quorum", WorkersLost: 2, MovedBytes: 1000, Audited: 4, Copied: 5, Ready: 6,
			Workers: []status.WorkerStatus{
				{State: status.WorkerActive, Concurrency: 2, Busy: 1}, {State: status.WorkerActive, Concurrency: 4, Busy: 4},
				{State: status.WorkerFull},
			},
			Quarantined: []status.QuarantinedWindow{{Window: "1/a/0"}},
		},
	}
	var seen int
	e, err := WatchRun(r, "r1", "mine", func() (*status.Status, bool) { return present, true },
		coordinator.Events{Committed: func(coordinator.Committed) { seen++ }})
	if err != nil {
		t.Fatal(err)
	}
	e.Committed(coordinator.Committed{Window: window(1), Took: 3 * time.Millisecond})
	e.Committed(coordinator.Committed{Window: window(1), Took: time.Hour, Reused: true})
	e.Resubmitted(coordinator.Resubmitted{Tasks: 3})
	if seen != 2 {
		t.Errorf("%d of 2 events were passed on", seen)
	}

	disk := func() (free, size uint64, err error) { return 5, 10, nil }
	members := func() Members { return Members{Waiting: 4, Running: 3, Complete: 2, Failed: 1} }
	moves := NewTransferMetrics()
	defer moves.Keeps(func() uint64 { return 77 })()
	if err := errors.Join(WatchKeys(r, &keys.Credentials{Expires: time.Unix(1e9, 0)}), r.Register(NewQueueMetrics()),
		r.Register(moves), WatchDisk(r, disk), WatchBatch(r, members)); err != nil {
		t.Fatal(err)
	}
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	observed(t, families)
	for _, f := range families {
		if f.GetName() == "pagoda_transfer_kept_bytes" && f.GetMetric()[0].GetGauge().GetValue() != 77 {
			t.Errorf("%v, want 77 bytes on disk", f)
		}
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, namespace) {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
	got := values(t, r)
	for name, want := range map[string]float64{
		`pagoda_batch_members{state="waiting"}`:                   4,
		`pagoda_batch_members{state="failed"}`:                    1,
		`pagoda_run_windows_committed{run="r1"}`:                  4,
		`pagoda_run_layers_complete{run="r1"}`:                    1,
		`pagoda_run_rows{run="r1"}`:                               1 << 40,
		`pagoda_run_state{run="r1",state="running"}`:              1,
		`pagoda_run_state{run="r1",state="failed"}`:               0,
		`pagoda_run_info{name="mine",puzzle="peg",run="r1"}`:      1,
		`pagoda_tasks_resubmitted_total{run="r1"}`:                3,
		`pagoda_window_compute_seconds{run="r1"}`:                 1,
		`pagoda_last_success_timestamp_seconds{run="r1"}`:         0,
		`pagoda_worker_windows_total{outcome="computed"}`:         0,
		`pagoda_worker_run_info{run="r1"}`:                        1,
		`pagoda_worker_concurrency`:                               2,
		`pagoda_run_workers{run="r1",state="active"}`:             2,
		`pagoda_run_workers{run="r1",state="joining"}`:            0,
		`pagoda_run_workers{run="r1",state="full"}`:               1,
		`pagoda_run_concurrency{run="r1"}`:                        6,
		`pagoda_run_concurrency_busy{run="r1"}`:                   5,
		`pagoda_run_windows_quarantined{run="r1"}`:                1,
		`pagoda_run_windows_ready{run="r1"}`:                      6,
		`pagoda_run_epoch{run="r1"}`:                              3,
		`pagoda_workers_lost_total{run="r1"}`:                     2,
		`pagoda_run_queue_down{run="r1"}`:                         1,
		`pagoda_run_parent_fetch_bytes_estimated_total{run="r1"}`: 1000,
		`pagoda_windows_audited_total{run="r1"}`:                  4,
		`pagoda_windows_copied_total{run="r1"}`:                   5,
		`pagoda_certs_expiry_timestamp_seconds`:                   1e9,
	} {
		if v, ok := got[name]; !ok || v != want {
			t.Errorf("%s is %v (%v), want %v", name, v, ok, want)
		}
	}
}

// values are all metrics by name and labels; of a histogram, the count of observations.
func values(t *testing.T, g prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := g.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]float64)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+`="`+l.GetValue()+`"`)
			}
			name := f.GetName()
			if len(labels) > 0 {
				name += "{" + strings.Join(labels, ",") + "}"
			}
			out[name] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return out
}

// list is a queue of tasks at hand.
type list struct {
	tasks     chan protocol.Delivery
	reply     protocol.Reply
	acks      atomic.Int64
	naks      atomic.Int64
	cancelled atomic.Int64
}

func (l *list) Next(ctx context.Context) (protocol.Delivery, error) {
	select {
	case d := <-l.tasks:
		return d, nil
	case <-ctx.Done():
		l.cancelled.Add(1)
		return nil, ctx.Err()
	}
}

func (l *list) Report(context.Context, protocol.Report) (protocol.Reply, error) { return l.reply, nil }

type hand struct{ l *list }

func (hand) Task() *protocol.Task {
	return &protocol.Task{Windows: []protocol.TaskWindow{{Window: window(0)}, {Window: window(1), Audit: true}}}
}
func (hand) Progress()    {}
func (h hand) Ack() error { h.l.acks.Add(1); return nil }
func (h hand) Nak() error { h.l.naks.Add(1); return nil }

func TestWorkIsMeasuredAndDrains(t *testing.T) { synctest.Test(t, testWorkIsMeasuredAndDrains) }

func testWorkIsMeasuredAndDrains(t *testing.T) {
	r := prometheus.NewRegistry()
	m, err := NewWorkerMetrics(r, "w1", 2)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	l := &list{tasks: make(chan protocol.Delivery, 3)}
	for range 2 {
		l.tasks <- hand{l}
	}
	w := WatchWork(l, m, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})).
		With(RunKey, "r1", WorkerKey, "w1"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	one, err := w.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	two, err := w.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	waiting := make(chan error, 1)
	go func() {
		_, err := w.Next(ctx)
		waiting <- err
	}()
	_, err = w.Report(ctx, protocol.Report{
		Done: []protocol.Done{
			{Record: kv.Record{Window: window(0), Rows: 5, Bytes: 7}, Nanos: 1e6},
			{Record: kv.Record{Window: window(1), Rows: 5, Bytes: 7}, Reused: true},
		},
		Failures: []protocol.Failure{{Window: window(2), Kind: protocol.FailError, Text: "no good"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`"window taken" run=r1 worker=w1 layer=3 window=3/a/0` + "\n",
		`"window taken" run=r1 worker=w1 layer=3 window=3/a/1 audit=true` + "\n",
		`"window reported" run=r1 worker=w1 layer=3 window=3/a/0 rows=5 bytes=7` + "\n",
		`"window reported" run=r1 worker=w1 layer=3 window=3/a/1 rows=5 bytes=7 reused=true` + "\n",
		`"window failed" run=r1 worker=w1 layer=3 window=3/a/2 kind=error error="no good"` + "\n",
	} {
		if !strings.Contains(log.String(), line) {
			t.Errorf("log %s lacks %s", log.String(), line)
		}
	}
	l.reply.Rejoin = true // nothing of a report was taken
	before := log.String()
	again := protocol.Report{Done: []protocol.Done{{Record: kv.Record{Window: window(0)}}}}
	if _, err := w.Report(ctx, again); err != nil || log.String() != before {
		t.Errorf("%v, log %s", err, log.String())
	}

	settled := w.Drain()
	if err := one.Ack(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-settled:
		t.Fatal("settled with a task in hand")
	case err := <-waiting:
		t.Fatalf("a slot that waits for a task is sent away: %v", err)
	case <-time.After(time.Hour): // in virtual time
	}
	if err := two.Nak(); err != nil {
		t.Fatal(err)
	}
	<-settled
	<-w.Drain() // twice does no harm
	l.tasks <- hand{l}
	cancel()
	if err := <-waiting; err == nil {
		t.Fatal("a task was taken after Drain")
	}
	got := values(t, r)
	for name, want := range map[string]float64{
		`pagoda_worker_windows_total{outcome="computed"}`: 1,
		`pagoda_worker_windows_total{outcome="reused"}`:   1,
		`pagoda_worker_windows_total{outcome="failed"}`:   1,
		`pagoda_worker_rows_total`:                        5,
		`pagoda_worker_window_bytes_total`:                7,
		`pagoda_worker_tasks_total{outcome="settled"}`:    1,
		`pagoda_worker_tasks_total{outcome="returned"}`:   1,
		`pagoda_worker_tasks`:                             0,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	if l.acks.Load() != 1 || l.naks.Load() != 1 || len(l.tasks) != 1 {
		t.Errorf("%d acknowledged, %d given back, %d left", l.acks.Load(), l.naks.Load(), len(l.tasks))
	}
}

func TestLog(t *testing.T) {
	var b bytes.Buffer
	log, err := NewLog(&b, LogStyle{Form: LogJSON})
	if err != nil {
		t.Fatal(err)
	}
	log.Info("x", Window(window(2).ID()))
	if s := b.String(); !strings.Contains(s, `"layer":3,"window":"3/a/2"`) {
		t.Error(s)
	}
	for _, style := range []LogStyle{{Form: "xml"}, {Level: "loud"}, {Level: "INFO+1"}} {
		if _, err := NewLog(&b, style); err == nil {
			t.Errorf("%+v is accepted", style)
		}
	}
	// A level lets its own lines through and those above it.
	for i, level := range LogLevels {
		b.Reset()
		log, err := NewLog(&b, LogStyle{Level: level})
		if err != nil {
			t.Fatal(err)
		}
		log.Debug("x")
		log.Info("x")
		log.Warn("x")
		log.Error("x")
		if got := strings.Count(b.String(), "msg=x"); got != len(LogLevels)-i {
			t.Errorf("from %s on: %d lines\n%s", level, got, &b)
		}
	}
}

// TestIdleClientsKeepNobodyOut: clients that keep their connections after an answer, more of them than places, keep no
// other client from asking.
func TestIdleClientsKeepNobodyOut(t *testing.T) {
	s, err := Listen(t.Context(), "127.0.0.1:0", nil, http.NotFoundHandler())
	if err != nil {
		t.Fatal(err)
	}
	ask := func() (*http.Client, error) {
		c := &http.Client{Transport: &http.Transport{}}
		r, err := c.Get("http://" + s.Address() + "/")
		if err == nil {
			_, err = io.Copy(io.Discard, r.Body)
			err = errors.Join(err, r.Body.Close())
		}
		return c, err
	}
	for n := range maxClients + 2 {
		c, err := ask()
		if err != nil {
			t.Fatalf("client %d: %v", n, err)
		}
		t.Cleanup(c.CloseIdleConnections)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
