package api

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pagoda/internal/app/runs"
	"pagoda/internal/fleet/keys"
	"pagoda/internal/fleet/ops"
)

// guarded is the API of a coordinator that listens on an address and has no run yet.
func guarded(listen string, keys *keys.Credentials) http.Handler {
	p := &Server{
		Status: func() Status { return Status{} }, Guard: ops.Guard{Listen: listen, Keys: keys},
		Run: func(bool) (*runs.Stored, func(), error) { return nil, nil, errors.New("no run yet") },
	}
	return p.Handler()
}

// answered returns the status of an answer, whose error must be JSON if it is one.
func answered(t *testing.T, h http.Handler, r *http.Request) int {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code == http.StatusOK {
		return w.Code
	}
	var said apiError
	err := json.Unmarshal(w.Body.Bytes(), &said)
	if err != nil || said.Error == "" || strings.Contains(said.Error, "\n") ||
		w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%s %.100s: %d with %q, %v", r.Method, r.URL, w.Code, w.Body, err)
	}
	return w.Code
}

// TestErrorsAreJSON sends requests for missing things, and in wrong forms.
func TestErrorsAreJSON(t *testing.T) {
	h := guarded("127.0.0.1:8080", nil)
	for _, c := range []struct {
		method, target string
		body           io.Reader
		want           int
	}{
		{"GET", "/v1/status", nil, 200},
		{"HEAD", "/v1/status", nil, 200},
		{"GET", "/", nil, 404},
		{"GET", "/v1", nil, 404},
		{"GET", "/v1/nothing", nil, 404},
		{"GET", "/v1/a/b/c", nil, 404},
		{"GET", "/v2/status", nil, 404},
		{"GET", "/" + strings.Repeat("x", 200) + "%0a", nil, 404},
		{"GET", "/metrics", nil, 404},
		{"POST", "/v1/status", nil, 405},
		{"OPTIONS", "/v1/status", nil, 405},
		{"BREW", "/nothing", nil, 405},
		{"GET", "/v1/status", strings.NewReader("body"), 413},
		{"GET", "/v1/export?layer=" + strings.Repeat("1", maxQuery), nil, 414},
		{"GET", "/" + strings.Repeat("x", maxPath), nil, 414},
		{"GET", "/v1/results?output=xml", nil, 400},
		{"GET", "/v1/export?nonsense=1", nil, 400},
		{"GET", "/v1/results", nil, 503},
		{"GET", "/v1/solitaire/position", nil, 503},
	} {
		r := httptest.NewRequest(c.method, c.target, c.body)
		r.Host = "127.0.0.1:8080"
		if got := answered(t, h, r); got != c.want {
			t.Errorf("%s %.60s: %d, want %d", c.method, c.target, got, c.want)
		}
	}
}

// TestHost has pages of browsers lead their own names here: a coordinator without keys does not answer them.
func TestHost(t *testing.T) {
	for _, c := range []struct {
		listen, host string
		want         int
	}{
		{"127.0.0.1:8080", "127.0.0.1:8080", 200},
		{"127.0.0.1:8080", "localhost:8080", 200},
		{"127.0.0.1:8080", "LOCALHOST.", 200},
		{"127.0.0.1:8080", "[::1]:8080", 200},
		{"127.0.0.1:8080", "10.0.0.1", 200},
		{"127.0.0.1:0", "127.0.0.1:41234", 200},
		{"127.0.0.1:8080", "evil.example:8080", 421},
		{"127.0.0.1:8080", "127.0.0.1.evil.example", 421},
		{"127.0.0.1:8080", "localhost.evil.example", 421},
		{"127.0.0.1:8080", "evil.example#localhost", 421},
		{"127.0.0.1:8080", "", 421},
		{"127.0.0.1:8080", ".", 421},
		{":8080", "", 421},
		{"0.0.0.0:8080", "evil.example:8080", 421},
		{"0.0.0.0:8080", "192.0.2.1:8080", 200},
		{"node.example.org:8080", "node.example.org:8080", 200},
		{"node.example.org:8080", "Node.Example.org", 200},
		{"node.example.org:8080", "other.example.org", 421},
		{"127.0.0.1:8080", "127.0.0.1:S", 421},
		{"127.0.0.1:8080", "localhost:8080x", 421},
	} {
		r := httptest.NewRequest(http.MethodGet, "/v1/status", nil)
		r.Host = c.host
		if got := answered(t, guarded(c.listen, nil), r); got != c.want {
			t.Errorf("listening on %s, asked as %q: %d, want %d", c.listen, c.host, got, c.want)
		}
	}
	// With keys the client's certificate decides, whatever the server is called; here there is none.
	r := httptest.NewRequest(http.MethodGet, "/v1/status", nil)
	r.Host = "evil.example"
	if got := answered(t, guarded("0.0.0.0:8080", new(keys.Credentials)), r); got != http.StatusForbidden {
		t.Errorf("with keys and without a certificate: %d", got)
	}
}

// TestPagesFromElsewhere sends the headers of browsers for pages of other origins.
func TestPagesFromElsewhere(t *testing.T) {
	const host = "localhost:8080"
	for _, c := range []struct {
		header, value string
		want          int
	}{
		{"Origin", "http://localhost:8080", 200},
		{"Origin", "http://LocalHost:8080", 200},
		{"Origin", "http://localhost:9090", 403},
		{"Origin", "http://evil.example", 403},
		{"Origin", "null", 403},
		{"Origin", "http://%zz", 403},
		{"Sec-Fetch-Site", "same-origin", 200},
		{"Sec-Fetch-Site", "none", 200},
		{"Sec-Fetch-Site", "same-site", 403},
		{"Sec-Fetch-Site", "cross-site", 403},
		{"Sec-Fetch-Site", "nonsense", 403},
	} {
		for _, path := range []string{"/v1/status", "/v1/results", "/nothing"} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Host = host
			r.Header.Set(c.header, c.value)
			got := answered(t, guarded("127.0.0.1:8080", nil), r)
			if (got == http.StatusForbidden) != (c.want == http.StatusForbidden) {
				t.Errorf("%s with %s: %s: %d, want %d", path, c.header, c.value, got, c.want)
			}
		}
	}
}
