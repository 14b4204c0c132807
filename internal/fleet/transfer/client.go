package transfer

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"pagoda/internal/fleet/keys"
	"pagoda/internal/kv"
	"pagoda/internal/run/protocol"
)

var (
	errStalled = errors.New("nothing came in time")
	errSlow    = errors.New("it came too slowly")
	errStatus  = errors.New("answer")
)

func newClient(o *Options) *http.Client {
	dialer := &net.Dialer{Timeout: min(o.StallTime, o.Patience), KeepAlive: 15 * time.Second}
	dial := dialer.DialContext
	if o.Dial != nil {
		dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, dialer.Timeout)
			defer cancel()
			return o.Dial(ctx, network, address)
		}
	}
	var config *tls.Config
	if o.Keys != nil {
		config = o.Keys.ClientTLS(keys.PeerName)
	}
	return &http.Client{
		Transport: &http.Transport{
			DialContext:            dial,
			TLSClientConfig:        config,
			TLSHandshakeTimeout:    o.StallTime,
			TLSNextProto:           map[string]func(string, *tls.Conn) http.RoundTripper{}, // HTTP/1.1 only
			DisableCompression:     true,
			MaxIdleConnsPerHost:    o.MaxStreams,
			MaxIdleConns:           256,
			IdleConnTimeout:        idleTime,
			MaxResponseHeaderBytes: maxHeaderSize,
			ReadBufferSize:         32 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

var frameReaders = sync.Pool{New: func() any { return new(frameReader) }}

// stream asks one peer for the blocks that a lacks, and passes them on until the peer ends the stream. It returns the
// bytes of blocks that came. The error is a *PeerError, a *localError, or ctx's.
func (f *Fetcher) stream(ctx context.Context, p protocol.Peer, a *inbound) (bytes uint64, err error) {
	select {
	case f.streams <- struct{}{}:
		defer func() { <-f.streams }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall, start := p.Wait(f.peers.stallTime(p.Address)), time.Now()
	watch := time.AfterFunc(stall, func() { cancel(errStalled) })
	defer watch.Stop()
	receive := f.receive
	if p.Name == protocol.ArchiveName {
		receive = f.archived
	} else {
		defer time.AfterFunc(f.streamTime(a, stall), func() { cancel(errSlow) }).Stop()
		defer func() { f.peers.waited(p.Address, time.Since(start)-f.paceTime(bytes)) }()
	}
	bytes, err = receive(inner, p, a, func() {
		watch.Reset(stall)
		_ = ctx.Err() // to ask is to say that work goes on, see pipeline's Delivery.Progress
	})
	var local *localError
	switch {
	case err == nil || errors.As(err, &local):
		return bytes, err
	case ctx.Err() != nil:
		return bytes, ctx.Err()
	case errors.Is(context.Cause(inner), errStalled):
		return bytes, &PeerError{Peer: p, Kind: Stalled, Err: fmt.Errorf("%w: %s", errStalled, stall)}
	case errors.Is(context.Cause(inner), errSlow):
		return bytes, &PeerError{
			Peer: p, Kind: Stalled, Err: fmt.Errorf("%w: less than %d KiB a second", errSlow, f.o.Pace>>10),
		}
	}
	var known *PeerError
	if errors.As(err, &known) {
		return bytes, known
	}
	return bytes, &PeerError{Peer: p, Kind: kindOf(err), Err: err}
}

// streamTime is how long a peer may take for the lacking blocks of a window.
func (f *Fetcher) streamTime(a *inbound, stall time.Duration) time.Duration {
	const most = 24 * time.Hour // a window that says it is endless
	return stall + min(f.paceTime(a.arrival.Lacking()), most)
}

// paceTime is how long blocks of so many bytes may take.
func (f *Fetcher) paceTime(bytes uint64) time.Duration {
	return time.Duration(min(float64(bytes)/float64(f.o.Pace)*float64(time.Second), math.MaxInt64/2))
}

func (f *Fetcher) receive(ctx context.Context, p protocol.Peer, a *inbound, alive func()) (bytes uint64, err error) {
	want := a.request()
	scheme := "http"
	if f.o.Keys != nil {
		scheme = "https"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+p.Address+want.URI(), nil)
	if err == nil && req.URL.Host != p.Address {
		err = fmt.Errorf("%.80q is no address", p.Address)
	}
	if err != nil {
		return 0, &PeerError{Peer: p, Kind: Malformed, Err: err}
	}
	resp, err := f.http.Do(req)
	if err != nil {
		if u := (*url.Error)(nil); errors.As(err, &u) {
			err = u.Err // the rest of it is a long address
		}
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	alive()
	if f.o.Keys != nil {
		if err := proven(resp.TLS, p.Name); err != nil {
			return 0, &PeerError{Peer: p, Kind: Refused, Err: err}
		}
	}
	if resp.StatusCode != http.StatusOK {
		// A little of the body is read so that the connection can be used again; its text is not believed.
		_, _ = io.CopyN(io.Discard, resp.Body, 512)
		return 0, statusError(p, resp.StatusCode)
	}
	return receiveFrames(p, resp.Body, a, alive)
}

// proven returns an error unless the other end of a connection is the worker with a name, or another of its key: what
// answers at the address of a worker says nothing of it otherwise.
func proven(s *tls.ConnectionState, worker string) error {
	id, err := keys.PeerOf(s)
	if err != nil {
		return err
	}
	of := keys.Fingerprint(id.Key)
	if worker == protocol.OwnWorker && id.Role == keys.Coordinator ||
		id.Role == keys.Worker && of == protocol.Fingerprint(worker) {
		return nil
	}
	return fmt.Errorf("a %s of key %s answers there", id.Role, of)
}

// receiveFrames passes the blocks of a stream on.
func receiveFrames(p protocol.Peer, body io.Reader, a *inbound, alive func()) (bytes uint64, err error) {
	r := frameReaders.Get().(*frameReader)
	defer frameReaders.Put(r)
	*r = frameReader{r: body, buf: r.buf}
	defer func() { r.r = nil }()
	for {
		b, err := r.next()
		if errors.Is(err, io.EOF) {
			return bytes, endError(p, r.end)
		}
		if err != nil {
			return bytes, err
		}
		alive()
		bytes += uint64(len(b))
		if err := a.block(b, p.Address); err != nil {
			return bytes, err
		}
	}
}

func statusError(p protocol.Peer, code int) error {
	kind := Malformed
	switch code {
	case http.StatusNotFound:
		return &PeerError{Peer: p, Kind: NotHeld}
	case http.StatusConflict:
		return &PeerError{Peer: p, Kind: OtherDigest}
	case http.StatusServiceUnavailable:
		return &PeerError{Peer: p, Kind: Busy}
	case http.StatusUnauthorized, http.StatusForbidden:
		kind = Refused
	case http.StatusInternalServerError:
		kind = Failed
	}
	return &PeerError{Peer: p, Kind: kind, Err: fmt.Errorf("%w %d", errStatus, code)}
}

// endError is nil for a stream that ended whole.
func endError(p protocol.Peer, s status) error {
	switch s {
	case statusWhole:
		return nil
	case statusDamaged:
		return &PeerError{Peer: p, Kind: Damaged}
	case statusLeaving:
		return &PeerError{Peer: p, Kind: Failed, Err: errors.New("it is stopping")}
	default:
		return &PeerError{Peer: p, Kind: Failed}
	}
}

// kindOf classifies an error of the transport or of the bytes that arrived.
func kindOf(err error) Kind {
	var (
		op    *net.OpError
		alert tls.AlertError
		plain tls.RecordHeaderError
		cert  *tls.CertificateVerificationError
	)
	switch {
	case errors.Is(err, errMalformed):
		return Malformed
	case errors.Is(err, kv.ErrCorrupt):
		return Corrupt
	case errors.As(err, &alert), errors.As(err, &plain), errors.As(err, &cert), errors.Is(err, http.ErrSchemeMismatch):
		return Refused
	case errors.As(err, &op) && op.Op == "dial":
		return Unreachable
	}
	return Broken
}
