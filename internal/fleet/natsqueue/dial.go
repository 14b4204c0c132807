package natsqueue

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"pagoda/internal/fleet/keys"
	"pagoda/internal/readfile"
	"pagoda/internal/run/address"
	"pagoda/internal/run/pause"
)

// DialOptions say how to reach a NATS server or cluster.
type DialOptions struct {
	URL  string // nats://HOST:PORT, or several separated by commas
	Name string // of the process, for the server's logs
	Keys *keys.Credentials
	// Creds is a file with a JWT and its seed, for NATS servers of others.
	Creds string
	// Insecure allows an address that is not loopback without keys, and one with Creds without TLS.
	Insecure bool
	Events   ConnEvents
}

// ConnEvents report the fate of a connection. Callbacks may be nil and must not block.
type ConnEvents struct {
	Disconnected func(error)      // the connection is lost; it will be tried again for ever
	Reconnected  func(url string) // it is back
	Trouble      func(error)      // a connection could not be made, or the server has refused something
}

// options sets handlers for the library's events. Without handlers the library writes to stderr.
func (e ConnEvents) options() []nats.Option {
	return []nats.Option{
		nats.DisconnectErrHandler(func(nc *nats.Conn, err error) {
			if !nc.IsClosed() {
				tell(e.Disconnected, err)
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) { tell(e.Reconnected, nc.ConnectedUrlRedacted()) }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { tell(e.Trouble, err) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { tell(e.Trouble, err) }),
	}
}

const (
	connectTime                   = 5 * time.Second // for one attempt
	reconnectWait, reconnectSpray = 250 * time.Millisecond, 250 * time.Millisecond
	// A server that was started at the same moment is looked for every dialSoon, for dialEager, with one report of
	// trouble.
	dialSoon, dialEager = 15 * time.Millisecond, time.Second
)

// RefusedError says that a NATS server and this process do not accept each other: another attempt would not help.
type RefusedError struct {
	URL string
	Err error
}

func (e *RefusedError) Error() string { return fmt.Sprintf("NATS at %s: %v", e.URL, e.Err) }

// Unwrap returns the cause.
func (e *RefusedError) Unwrap() error { return e.Err }

// Advice returns what to do, in one line.
func (e *RefusedError) Advice() string {
	if expired(e.Err) {
		return "are the clocks right, here and at the server? if so, make new certificates with coordinator certs DIR --renew"
	}
	return "both ends need keys of the same fleet, and those bound to a run are good for that run alone: see docs/certs.md"
}

// OptionsError says that Dial cannot begin with its options.
type OptionsError struct{ Err error }

func (e *OptionsError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *OptionsError) Unwrap() error { return e.Err }

// Dial connects to NATS. It waits for a server that cannot be reached, until ctx is done, but not for one that refuses:
// that is a RefusedError. Options that can never do are an OptionsError. The connection is then kept up for ever,
// whatever becomes of the server.
func Dial(ctx context.Context, o DialOptions) (*nats.Conn, error) {
	opts, err := o.options()
	if err != nil {
		return nil, &OptionsError{err}
	}
	began, told, next := time.Now(), false, retryFirst
	for {
		nc, err := nats.Connect(o.URL, opts...)
		if err == nil {
			if limit := nc.MaxPayload(); limit < minPayload {
				nc.Close()
				return nil, fmt.Errorf("NATS at %s takes messages of up to %d bytes, and %d are needed: raise its max_payload",
					o.URL, limit, minPayload)
			}
			return nc, nil
		}
		if refused(err) {
			return nil, &RefusedError{o.URL, err}
		}
		eager := time.Since(began) < dialEager
		if !told || !eager {
			told = true
			tell(o.Events.Trouble, fmt.Errorf("NATS at %s: %w", o.URL, err))
		}
		wait := func() error { return sleep(ctx, &next) }
		if eager {
			wait = func() error { return pause.For(ctx, dialSoon) }
		}
		if serr := wait(); serr != nil {
			return nil, fmt.Errorf("NATS at %s: %w (%w)", o.URL, err, serr)
		}
	}
}

func (o *DialOptions) options() ([]nats.Option, error) {
	if err := o.checkURL(); err != nil {
		return nil, err
	}
	opts := append(o.Events.options(),
		nats.Name(o.Name),
		nats.Timeout(connectTime),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(reconnectWait),
		nats.ReconnectJitter(reconnectSpray, reconnectSpray),
		// A server that is being set up anew may refuse all clients for a while.
		nats.IgnoreAuthErrorAbort(),
		nats.PingInterval(pingEvery),
		nats.MaxPingsOutstanding(maxPings),
	)
	switch {
	case o.Keys != nil && o.Creds != "":
		return nil, errors.New("NATS: keys and credentials exclude each other")
	case o.Keys != nil:
		key := o.Keys.Key
		if key == "" {
			return nil, fmt.Errorf("the keys in %s are a server's, and have no user", o.Keys.Dir)
		}
		opts = append(opts, nats.Secure(o.Keys.ClientTLS(keys.NATSName)), nats.TLSHandshakeFirst(),
			nats.Nkey(key, o.Keys.Sign), nats.CustomInboxPrefix(inboxOf(key)))
	case o.Creds != "":
		key, err := KeyOfCreds(o.Creds)
		if err != nil {
			return nil, err
		}
		opts = append(opts, nats.UserCredentials(o.Creds), nats.CustomInboxPrefix(inboxOf(key)))
		if !o.loopback() && !o.Insecure {
			opts = append(opts, nats.Secure(&tls.Config{MinVersion: tls.VersionTLS12}))
		}
	default:
		// Without keys, an address that the user did not name is not to be trusted because a server names it.
		opts = append(opts, nats.IgnoreDiscoveredServers())
	}
	return opts, nil
}

// Hosts takes HOST:PORT from the URLs of NATS servers, between which there are commas.
func Hosts(urls string) ([]string, error) {
	var hosts []string
	for _, s := range strings.Split(urls, ",") {
		u, err := url.Parse(s)
		switch {
		case err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Port() == "" || u.Path != "" || u.RawQuery != "":
			return nil, fmt.Errorf("%.100q is not of the form nats://HOST:PORT", redact(s))
		case u.User != nil:
			// It would stand in the list of processes.
			return nil, errors.New("a user or password in a URL can be seen by everybody on this machine")
		}
		if err := address.InURL(u); err != nil {
			return nil, err
		}
		hosts = append(hosts, u.Host)
	}
	return hosts, nil
}

// checkURL demands addresses that may be used with the given keys.
func (o *DialOptions) checkURL() error {
	hosts, err := Hosts(o.URL)
	if err != nil {
		return fmt.Errorf("NATS: %w", err)
	}
	for _, host := range hosts {
		if o.Creds != "" {
			continue
		}
		if err := keys.Check(host, o.Keys, o.Insecure); err != nil {
			return err
		}
	}
	return nil
}

// redact keeps a possible password out of messages.
func redact(s string) string {
	if _, after, ok := strings.Cut(s, "@"); ok {
		return "***@" + after
	}
	return s
}

func (o *DialOptions) loopback() bool {
	hosts, err := Hosts(o.URL)
	return err == nil && !slices.ContainsFunc(hosts, func(host string) bool { return !keys.Loopback(host) })
}

// maxSecret bounds the bytes of a file of credentials.
const maxSecret = 1 << 20

// KeyOfCreds returns the public nkey of the user in a file of credentials. It demands of the file what keys.Load
// demands of keys, and that it has both of its parts: the library would read it only when it connects, and try again
// for ever.
func KeyOfCreds(path string) (string, error) {
	fi, err := os.Stat(path)
	switch {
	case err != nil:
		return "", fmt.Errorf("NATS credentials: %w", err)
	case !fi.Mode().IsRegular():
		return "", fmt.Errorf("NATS credentials: %s is not a file", path)
	case fi.Mode().Perm()&0o027 != 0:
		return "", fmt.Errorf("NATS credentials: %s can be read or written by too many (mode %04o)", path, fi.Mode().Perm())
	}
	content, err := readfile.Bounded(path, maxSecret)
	if err != nil {
		return "", fmt.Errorf("NATS credentials: %w", err)
	}
	_, tokenErr := nkeys.ParseDecoratedJWT(content)
	pair, keyErr := nkeys.ParseDecoratedUserNKey(content)
	if tokenErr != nil || keyErr != nil {
		return "", fmt.Errorf("NATS credentials: %s has not both a JWT and the seed of a user", path)
	}
	defer pair.Wipe()
	return pair.PublicKey()
}

// refused reports whether one end has met the other and refused it.
func refused(err error) bool {
	var (
		op        *net.OpError
		authority x509.UnknownAuthorityError
		invalid   x509.CertificateInvalidError
		host      x509.HostnameError
		record    tls.RecordHeaderError
	)
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked),
		errors.Is(err, nats.ErrAccountAuthExpired), errors.Is(err, nats.ErrSecureConnWanted),
		errors.Is(err, nats.ErrSecureConnRequired), errors.Is(err, nats.ErrNkeysNotSupported):
		return true
	case errors.As(err, &authority), errors.As(err, &invalid), errors.As(err, &host), errors.As(err, &record):
		return true
	}
	return errors.As(err, &op) && op.Op == "remote error" // an alert of TLS
}

// expired reports whether err says that a certificate's time is over, or has not come, by the clock of either side.
func expired(err error) bool {
	var (
		invalid x509.CertificateInvalidError
		op      *net.OpError
	)
	if errors.As(err, &invalid) {
		return invalid.Reason == x509.Expired
	}
	const certificateExpired tls.AlertError = 45 // RFC 8446, 6.2; the library has an unexported type with the same texts
	return errors.As(err, &op) && op.Err.Error() == certificateExpired.Error()
}

// tell calls a callback that may be nil.
func tell[T any](fn func(T), v T) {
	if fn != nil {
		fn(v)
	}
}
