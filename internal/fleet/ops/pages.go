package ops

import (
	"io"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// QueueDown is the word of a process whose coordinator cannot use the queue.
const QueueDown = "queue-down"

// pageTime bounds the answer of a page.
const pageTime = 10 * time.Second

// Pages serves /healthz, /readyz and /metrics. ready returns "" while the process can do its work, and otherwise one
// word that says why it cannot.
func Pages(metrics prometheus.Gatherer, ready func() string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /healthz", page(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "ok\n")
	}))
	mux.Handle("GET /readyz", page(func(w http.ResponseWriter, _ *http.Request) {
		if why := ready(); why != "" {
			http.Error(w, why, http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "ok\n")
	}))
	h := promhttp.HandlerFor(metrics, promhttp.HandlerOpts{Timeout: pageTime, MaxRequestsInFlight: 4})
	mux.Handle("GET /metrics", page(h.ServeHTTP))
	return mux
}

// page bounds the time of an answer and keeps it out of caches.
func page(fn http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// It fails where there is no connection, as in a test.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(pageTime))
		w.Header().Set("Cache-Control", "no-store")
		fn(w, r)
	})
}
