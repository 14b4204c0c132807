package notify

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/app/cli"
	"pagoda/internal/run/coordinator"
)

// The example of a message in the documentation of Svix, docs.svix.com/receiving/verifying-payloads/how-manual.
func TestSignaturePublished(t *testing.T) {
	w := hook(t, "https://example.com/")
	if err := w.Sign([]byte("whsec_plJ3nmyCDGBKInavdOK15jsl\n")); err == nil {
		t.Error("a secret of 18 bytes was taken")
	}
	key, err := base64.StdEncoding.DecodeString("plJ3nmyCDGBKInavdOK15jsl")
	if err != nil {
		t.Fatal(err)
	}
	const want = "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0="
	body := []byte(`{"event_type":"ping","data":{"success":true}}`)
	if got := sign(key, "msg_loFOjxBNrRLzqYUf", "1731705121", body); got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
}

func hook(t *testing.T, where string) *Webhook {
	t.Helper()
	w, err := New(where)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

// secretKey is the key in secret.
func secretKey() []byte {
	key := make([]byte, 32)
	for i := range key {
		key[i] = byte(i)
	}
	return key
}

// hmacSHA256 is HMAC as RFC 2104 defines it.
func hmacSHA256(key, text []byte) []byte {
	inner, outer := make([]byte, sha256.BlockSize), make([]byte, sha256.BlockSize)
	for i := range inner {
		var b byte
		if i < len(key) {
			b = key[i]
		}
		inner[i], outer[i] = b^0x36, b^0x5c
	}
	first := sha256.Sum256(append(inner, text...))
	second := sha256.Sum256(append(outer, first[:]...))
	return second[:]
}

// A received request, and when it came.
type received struct {
	header http.Header
	body   []byte
	after  time.Duration
}

// serve has an HTTP server in memory answer the requests to w, with answer for the nth. The function returned
// lists them.
func serve(t *testing.T, w *Webhook, answer func(n int, w http.ResponseWriter, r *http.Request)) func() []received {
	t.Helper()
	var list []received
	begun := time.Now()
	conns := make(chan net.Conn)
	s := &http.Server{Handler: http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost {
			t.Errorf("%s: %v", r.Method, err)
		}
		list = append(list, received{r.Header, body, time.Since(begun)})
		answer(len(list), out, r)
	})}
	go func() { _ = s.Serve(&listener{conns: conns, closed: make(chan struct{})}) }()
	t.Cleanup(func() { _ = s.Close() })
	w.client.Transport.(*http.Transport).DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		select {
		case conns <- theirs:
			return ours, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return func() []received {
		synctest.Wait()
		return list
	}
}

// A listener of connections in memory.
type listener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error   { close(l.closed); return nil }
func (l *listener) Addr() net.Addr { return &net.TCPAddr{} }

// codes answers with those of the list in their order, and with the last one from then on.
func codes(list ...int) func(int, http.ResponseWriter, *http.Request) {
	return func(n int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(list[min(n, len(list))-1]) }
}

func TestDeliveredAfterFailures(t *testing.T) { synctest.Test(t, testDeliveredAfterFailures) }

func testDeliveredAfterFailures(t *testing.T) {
	w := hook(t, "http://127.0.0.1/private")
	if err := w.Sign([]byte(secret + "\r\n")); err != nil {
		t.Fatal(err)
	}
	got := serve(t, w, codes(500, 429, 204))
	m := Ended(Data{Run: "0123456789ab", Totals: map[string]string{"solutions": "40861647040079968"}}, nil)
	if attempts, err := w.Send(t.Context(), m); attempts != 3 || err != nil {
		t.Fatalf("%d attempts: %v", attempts, err)
	}
	times := []time.Duration{0, 1 * time.Second, 3 * time.Second}
	for i, r := range got() {
		if r.after != times[i] {
			t.Errorf("attempt %d came after %s, want %s", i+1, r.after, times[i])
		}
		id, at := r.header.Get("webhook-id"), r.header.Get("webhook-timestamp")
		if id == "" || id != got()[0].header.Get("webhook-id") {
			t.Errorf("attempt %d has the ID %q", i+1, id)
		}
		if want := strconv.FormatInt(m.Timestamp.Add(r.after).Unix(), 10); at != want {
			t.Errorf("attempt %d is of %s, want %s", i+1, at, want)
		}
		signed := hmacSHA256(secretKey(), []byte(id+"."+at+"."+string(r.body)))
		if want := "v1," + base64.StdEncoding.EncodeToString(signed); r.header.Get("webhook-signature") != want {
			t.Errorf("attempt %d is signed %s, want %s", i+1, r.header.Get("webhook-signature"), want)
		}
		var read struct {
			Type string
			Data struct {
				State  string
				Code   int
				Totals map[string]string
			}
		}
		if err := json.Unmarshal(r.body, &read); err != nil || read.Type != "run.complete" || read.Data.State != "complete" ||
			read.Data.Code != 0 || read.Data.Totals["solutions"] != "40861647040079968" {
			t.Errorf("body %s: %v", r.body, err)
		}
	}
}

func TestRefused(t *testing.T) {
	for code, want := range map[int]string{
		302: "the answer is 302 Found, and redirects are not followed",
		401: "the answer is 401 Unauthorized",
		404: "the answer is 404 Not Found",
	} {
		synctest.Test(t, func(t *testing.T) {
			w := hook(t, "http://localhost/private")
			got := serve(t, w, func(_ int, out http.ResponseWriter, r *http.Request) {
				http.Redirect(out, r, "http://localhost/elsewhere", code)
			})
			attempts, err := w.Send(t.Context(), Test(Data{}))
			if attempts != 1 || err == nil || err.Error() != want || len(got()) != 1 {
				t.Errorf("%d attempts, %d received: %v, want %s", attempts, len(got()), err, want)
			}
			if s := got()[0].header.Get("webhook-signature"); s != "" {
				t.Errorf("signed %s without a secret", s)
			}
		})
	}
}

// hang answers when the client has gone.
func hang(_ int, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func TestBounded(t *testing.T) {
	cases := map[string]struct {
		answer   func(int, http.ResponseWriter, *http.Request)
		told     time.Duration // when the process is told to stop; -1: never
		attempts int
		took     time.Duration
		err      string
	}{
		// 10 s, 1 s, 10 s, 2 s, and the 7 s that are left
		"hangs":                    {hang, -1, 3, Patience, "no answer in time"},
		"fails":                    {codes(503), -1, 6, Patience, "the answer is 503 Service Unavailable"},
		"hangs, told to stop":      {hang, 12 * time.Second, 2, 17 * time.Second, "no answer in time"},
		"hangs, stopped before":    {hang, 0, 1, Farewell, "no answer in time"},
		"fails, told to stop late": {codes(500), 28 * time.Second, 6, Patience, "the answer is 500 Internal Server Error"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := hook(t, "http://[::1]:80/private")
				got := serve(t, w, c.answer)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				switch {
				case c.told == 0:
					cancel()
				case c.told > 0:
					time.AfterFunc(c.told, cancel)
				}
				begun := time.Now()
				attempts, err := w.Send(ctx, Ended(Data{}, errors.New("x")))
				if took := time.Since(begun); attempts != c.attempts || took != c.took || err == nil || err.Error() != c.err {
					t.Errorf("%d attempts in %s: %v; want %d in %s: %s", attempts, took, err, c.attempts, c.took, c.err)
				}
				if len(got()) != c.attempts {
					t.Errorf("%d requests came, want %d", len(got()), c.attempts)
				}
			})
		})
	}
}

// A URL that may be a secret is in no error.
func TestErrorsHideURL(t *testing.T) {
	w := hook(t, "http://127.0.0.1:1/private?token=private")
	w.client.Transport.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("connection refused")
	}
	err := w.Try(t.Context(), Test(Data{}))
	if err == nil || err.Error() != "connection refused" || w.String() != "http://127.0.0.1:1" {
		t.Errorf("%s: %v", w, err)
	}
}

func TestWrongURL(t *testing.T) {
	for where, want := range map[string]string{
		"hooks.example.com/private":         "it is no URL of the form https://HOST/PATH",
		"ftp://example.com/private":         "it is no URL of the form https://HOST/PATH",
		"https://exa mple.com/private":      "it is no URL of the form https://HOST/PATH",
		"https:example.com/private":         `"" is no address: it has no host`,
		"https://example.com:0/private":     `"example.com:0" is no address: "0" is not a port from 1 to 65535`,
		"https://me:private@example.com/":   "there is a name or a password before the host",
		"https://example.com/#private":      "no part after # is sent to a server",
		"http://example.com/private":        "http:// is for a webhook on this machine: on the way others could read it",
		"http://127.0.0.1.nip.io/private":   "http:// is for a webhook on this machine: on the way others could read it",
		"HTTP://10.0.0.1:8080/private":      "http:// is for a webhook on this machine: on the way others could read it",
		"https://example.com/a b?x=private": "",
	} {
		_, err := New(where)
		switch {
		case want == "" && err != nil, want != "" && (err == nil || err.Error() != want):
			t.Errorf("%s: %v, want %q", where, err, want)
		case err != nil && (strings.Contains(err.Error(), "private") || cli.Advice(err) == ""):
			t.Errorf("%s: %v, hint %q", where, err, cli.Advice(err))
		}
	}
}

func TestSecret(t *testing.T) {
	for content, ok := range map[string]bool{
		secret:                                   true,
		secret + "\n":                            true,
		secret + "\n" + secret:                   false,
		strings.ToUpper(secret):                  false,
		secret[len("whsec_"):]:                   false,
		"whsec_":                                 false,
		"":                                       false,
		" " + secret:                             false,
		secret + " ":                             false,
		strings.TrimRight(secret, "="):           false,
		"whsec_" + strings.Repeat("A", 31) + "=": false, // 23 bytes
		"whsec_" + strings.Repeat("A", 32):       true,
		"whsec_" + strings.Repeat("A", 86) + "==":                           true,
		"whsec_" + strings.Repeat("A", 87) + "=":                            false, // 65 bytes
		"whsec_" + strings.Repeat("A", 16) + "\n" + strings.Repeat("A", 16): false,
	} {
		w := hook(t, "https://example.com/")
		err := w.Sign([]byte(content))
		if ok != (err == nil) || ok != w.Signed() || err != nil && strings.Contains(err.Error(), "AAEC") {
			t.Errorf("%q: %v", content, err)
		}
	}
}

func TestState(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
		code int
	}{
		{nil, "complete", 0},
		{errors.New("broken"), "failed", 1},
		{&cli.StoppedError{Err: errors.New("full")}, "stopped", 3},
		{cli.ErrTerminated, "stopped", 3},
		{cli.ErrInterrupted, "stopped", 130},
		{coordinator.ErrFenced, "stopped", 4},
		{cli.ErrUnverified, "failed", 13},
	} {
		m := Ended(Data{}, c.err)
		if m.Type != "run."+c.want || m.Data.State != c.want || m.Data.Code != c.code ||
			(m.Data.Reason == "") != (c.err == nil) {
			t.Errorf("%v: %+v", c.err, m)
		}
	}
}
