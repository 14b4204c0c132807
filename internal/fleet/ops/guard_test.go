package ops

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pagoda/internal/fleet/keys"
)

// TestProfiles asks for profiles: a program on this machine gets them, a page of a browser and a process without a
// certificate do not.
func TestProfiles(t *testing.T) {
	for _, c := range []struct {
		what, host, origin, path string
		keys                     *keys.Credentials
		want                     int
		body                     string
	}{
		{"the list", "127.0.0.1:1", "", "/debug/pprof/", nil, 200, "goroutine"},
		{"a profile", "127.0.0.1:1", "", "/debug/pprof/heap?debug=1", nil, 200, "heap profile"},
		{"the command", "localhost", "", "/debug/pprof/cmdline", nil, 200, ".test"},
		{"another page", "localhost", "", "/metrics", nil, 404, ""},
		{"a name of a browser's page", "evil.example", "", "/debug/pprof/", nil, 421, "this is not"},
		{"a page from elsewhere", "localhost", "http://evil.example", "/debug/pprof/", nil, 403, "from elsewhere"},
		{"no certificate", "localhost", "", "/debug/pprof/", new(keys.Credentials), 403, ""},
	} {
		r := httptest.NewRequest(http.MethodGet, c.path, nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		Profiles(Guard{Listen: "127.0.0.1:1", Keys: c.keys}).ServeHTTP(w, r)
		if w.Code != c.want || !strings.Contains(w.Body.String(), c.body) {
			t.Errorf("%s: %d %.100q, want %d", c.what, w.Code, w.Body, c.want)
		}
	}
}

// FuzzHost demands that no name but the known ones is taken for this server's.
func FuzzHost(f *testing.F) {
	for _, s := range []string{
		"localhost", "127.0.0.1:1", "[::1]", "evil.example:1", "[localhost]", "a:b:c", "", "localhost:",
	} {
		f.Add(s)
	}
	g := Guard{Listen: "node.example.org:8080"}
	f.Fuzz(func(t *testing.T, host string) {
		if !g.Addressed(host) {
			return
		}
		// Of addresses only hexadecimal digits, dots and colons are left, but for the zone of an IPv6 address.
		low := strings.ToLower(host)
		if strings.Contains(low, "localhost") || strings.Contains(low, "node.example.org") || strings.Contains(low, "%") {
			return
		}
		if strings.ContainsAny(low, "ghijklmnopqrstuvwxyz") {
			t.Errorf("%q is taken for this server", host)
		}
	})
}
