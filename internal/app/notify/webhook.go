// Package notify tells a webhook that a run has ended.
//
// A message is a POST with a JSON body, signed as Standard Webhooks says (standardwebhooks.com), for which there are
// libraries in many languages. With the secret whsec_BASE64, the headers are
//
//	webhook-id: ID                     the same in every attempt to deliver a message
//	webhook-timestamp: SECONDS         of the attempt, since 1970
//	webhook-signature: v1,SIGNATURE    base64 of HMAC-SHA256 over ID.SECONDS.BODY, the key being BASE64 decoded
//
// A receiver refuses a message that is replayed: it knows the ID, or the timestamp is old. Neither URL nor secret is
// ever part of an error: the URL of a webhook is often a secret, too.
package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"pagoda/internal/app/cli"
	"pagoda/internal/fleet/keys"
	"pagoda/internal/run/address"
	"pagoda/internal/run/pause"
)

// Bounds of a delivery.
const (
	Patience     = 30 * time.Second // from the first attempt to the end of the last
	Farewell     = 5 * time.Second  // the same, from the moment in which the process is told to stop
	answerTime   = 10 * time.Second // of an attempt
	firstPause   = time.Second      // between two attempts; it doubles
	longestPause = 8 * time.Second
)

// A Webhook receives messages.
type Webhook struct {
	url    *url.URL
	key    []byte // nil: messages are not signed
	client http.Client
}

// New makes the webhook at an address, https://HOST/PATH. Without encryption, http://, it must be on this machine.
func New(where string) (*Webhook, error) {
	u, err := checkURL(where)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true // an attempt after a failure begins afresh
	transport.MaxResponseHeaderBytes = 64 << 10
	return &Webhook{url: u, client: http.Client{
		Transport:     transport,
		Timeout:       answerTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

func checkURL(where string) (*url.URL, error) {
	const hint = "write https://HOST/PATH"
	u, err := url.Parse(where)
	switch {
	case err != nil, u.Scheme != "https" && u.Scheme != "http":
		return nil, cli.Hint(errors.New("it is no URL of the form https://HOST/PATH"), hint)
	case u.User != nil:
		return nil, cli.Hint(errors.New("there is a name or a password before the host"), "messages are signed: "+hint)
	case u.Fragment != "":
		return nil, cli.Hint(errors.New("no part after # is sent to a server"), hint)
	}
	if err := address.InURL(u); err != nil {
		return nil, err
	}
	if u.Scheme == "http" && !keys.Loopback(u.Hostname()) {
		return nil, cli.Hint(errors.New("http:// is for a webhook on this machine: on the way others could read it"), hint)
	}
	return u, nil
}

// Sign has messages signed with the secret in a file: whsec_ and 24 to 64 bytes in base64. Line breaks after it do not
// count.
func (w *Webhook) Sign(content []byte) error {
	const least, most = 24, 64
	coded, ok := strings.CutPrefix(strings.TrimRight(string(content), "\r\n"), "whsec_")
	key, err := base64.StdEncoding.Strict().DecodeString(coded)
	if !ok || err != nil || strings.ContainsAny(coded, "\r\n") || len(key) < least || len(key) > most {
		return cli.Hint(fmt.Errorf("it is not whsec_ and %d to %d bytes in base64", least, most),
			`make one with: echo "whsec_$(openssl rand -base64 32)"`)
	}
	w.key = key
	return nil
}

// String is the webhook for logs: scheme and host.
func (w *Webhook) String() string { return w.url.Scheme + "://" + w.url.Host }

// Signed reports whether messages are signed.
func (w *Webhook) Signed() bool { return w.key != nil }

// Send delivers a message, and returns the number of attempts. It tries again after an error that may pass, for
// Patience at most, or for Farewell after the end of ctx.
func (w *Webhook) Send(ctx context.Context, m *Message) (attempts int, err error) {
	body, err := json.Marshal(m)
	if err != nil {
		return 0, err
	}
	id := newID()
	sending, cancel := context.WithTimeout(context.WithoutCancel(ctx), Patience)
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		_ = pause.For(sending, Farewell) // no error: nothing is left to cut short
		cancel()
	})()
	for wait := firstPause; ; wait = min(2*wait, longestPause) {
		attempts++
		err := w.attempt(sending, id, body)
		if err == nil || errors.As(err, new(refusal)) || pause.For(sending, wait) != nil {
			return attempts, err
		}
	}
}

// Try delivers a message in one attempt.
func (w *Webhook) Try(ctx context.Context, m *Message) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return w.attempt(ctx, newID(), body)
}

func newID() string { return "msg_" + rand.Text() }

// A refusal is an answer that the same message would get again.
type refusal string

func (r refusal) Error() string { return string(r) }

// attempt sends a message once.
func (w *Webhook) attempt(ctx context.Context, id string, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url.String(), bytes.NewReader(body))
	if err != nil {
		return refusal("the request cannot be made")
	}
	at := strconv.FormatInt(time.Now().Unix(), 10)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "pagoda")
	r.Header.Set("webhook-id", id)
	r.Header.Set("webhook-timestamp", at)
	if w.key != nil {
		r.Header.Set("webhook-signature", sign(w.key, id, at, body))
	}
	answer, err := w.client.Do(r)
	if about := (*url.Error)(nil); errors.As(err, &about) {
		if about.Timeout() || ctx.Err() != nil {
			return errors.New("no answer in time")
		}
		return about.Err // without the URL
	}
	if err != nil {
		return err
	}
	_ = answer.Body.Close() // the status is the whole answer
	switch code := answer.StatusCode; {
	case code/100 == 2:
		return nil
	case code/100 == 3:
		return refusal("the answer is " + told(code) + ", and redirects are not followed")
	case code/100 == 4 && code != http.StatusRequestTimeout && code != http.StatusTooEarly &&
		code != http.StatusTooManyRequests:
		return refusal("the answer is " + told(code))
	default:
		return errors.New("the answer is " + told(code))
	}
}

func told(code int) string {
	return strings.TrimSpace(strconv.Itoa(code) + " " + http.StatusText(code))
}

// sign is the value of webhook-signature.
func sign(key []byte, id, at string, body []byte) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(id + "." + at + "."))
	h.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(h.Sum(nil))
}
