package api

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"pagoda/internal/app/runs"
	"pagoda/internal/fleet/keys"
	"pagoda/internal/fleet/ops"
)

// guardedBatch is the API of a coordinator of a batch that has not ended.
func guardedBatch(keys *keys.Credentials) *BatchServer {
	return &BatchServer{
		Guard:   ops.Guard{Listen: "127.0.0.1:8080", Keys: keys},
		Status:  func(context.Context) (any, error) { return map[string]int{"complete": 3}, nil },
		Results: func(context.Context) ([]byte, error) { return nil, errors.New("not yet") },
		Export: func(_ context.Context, what runs.Selection, w io.Writer) error {
			if what.Table == "none" {
				return usage("no such table", "")
			}
			_, err := io.WriteString(w, what.Table+" as "+what.Format)
			return err
		},
	}
}

// TestBatchRequests sends requests for missing things, in wrong forms, and from elsewhere.
func TestBatchRequests(t *testing.T) {
	h := guardedBatch(nil).Handler()
	for _, c := range []struct {
		method, target, host string
		body                 io.Reader
		want                 int
	}{
		{"GET", "/v1/batch", "127.0.0.1:8080", nil, 200},
		{"HEAD", "/v1/batch", "localhost", nil, 200},
		{"GET", "/v1/batch", "evil.example", nil, 421},
		{"GET", "/v1/batch?x=1", "localhost", nil, 400},
		{"POST", "/v1/batch", "localhost", nil, 405},
		{"GET", "/v1/batch", "localhost", strings.NewReader("body"), 413},
		{"GET", "/v1/export?table=" + strings.Repeat("x", maxQuery), "localhost", nil, 414},
		{"GET", "/v1/export?table=none", "localhost", nil, 400},
		{"GET", "/v1/export?layer=3", "localhost", nil, 400},
		{"GET", "/v1/export?table=a&table=b", "localhost", nil, 400},
		{"GET", "/v1/results", "localhost", nil, 409},
		{"GET", "/v1/results?output=json", "localhost", nil, 400},
		{"GET", "/v1/status", "localhost", nil, 404},
		{"GET", "/v1/layers", "localhost", nil, 404},
		{"GET", "/", "localhost", nil, 404},
	} {
		r := httptest.NewRequest(c.method, c.target, c.body)
		if r.Host = c.host; c.method == "HEAD" {
			r.Header.Set("Origin", "http://localhost")
		}
		if got := answered(t, h, r); got != c.want {
			t.Errorf("%s %.60s of %s: %d, want %d", c.method, c.target, c.host, got, c.want)
		}
	}
	// With keys it takes those of a client; here there is none.
	h = guardedBatch(new(keys.Credentials)).Handler()
	if got := answered(t, h, httptest.NewRequest("GET", "/v1/batch", nil)); got != 403 {
		t.Errorf("with keys and without a certificate: %d", got)
	}
}

// TestBatchExport passes table and format on, and CSV where no format is given.
func TestBatchExport(t *testing.T) {
	s := httptest.NewServer(guardedBatch(nil).Handler())
	defer s.Close()
	for query, want := range map[string]string{
		"": " as csv", "?table=layers": "layers as csv", "?table=members&format=jsonl": "members as jsonl",
	} {
		r, err := s.Client().Get(s.URL + "/v1/export" + query)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r.Body)
		if err := errors.Join(err, r.Body.Close()); err != nil || r.StatusCode != 200 || string(b) != want {
			t.Errorf("%q: %d with %q, %v, want %q", query, r.StatusCode, b, err, want)
		}
	}
}

// TestBatchBusy keeps more than a few answers from being made at a time.
func TestBatchBusy(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	p := guardedBatch(nil)
	p.Status = func(context.Context) (any, error) {
		begun <- struct{}{}
		<-goOn
		return nil, nil
	}
	h := p.Handler()
	ask := func(path string) int {
		r := httptest.NewRequest("GET", path, nil)
		r.Host = "localhost"
		return answered(t, h, r)
	}
	codes := make(chan int)
	for range busyAnswers {
		go func() { codes <- ask("/v1/batch") }()
		<-begun
	}
	if got := ask("/v1/export"); got != 503 {
		t.Errorf("beside %d others: %d, want 503", busyAnswers, got)
	}
	close(goOn)
	for range busyAnswers {
		if got := <-codes; got != 200 {
			t.Errorf("one of %d at a time: %d", busyAnswers, got)
		}
	}
}
