package objects

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

const (
	// defaultStall is how long a server may take to connect, to answer, or to take or send the next bytes.
	defaultStall = 20 * time.Second
	// retries is how often a request is sent that fails in a way that may pass; the pauses between them add up to some
	// three seconds.
	retries = 5
	// partBytes is the size of the parts of a larger object.
	partBytes = 16 << 20
	// maxConns bounds idle connections.
	maxConns = 16
)

// Open returns the store of a bucket, with keys and endpoint from the environment. It makes no request.
func Open(at Location) (Store, error) {
	e, err := ReadEnvironment()
	if err != nil {
		return nil, err
	}
	return e.Open(at)
}

// Open is Open in an environment that was read before.
func (e Environment) Open(at Location) (Store, error) {
	stall := cmp.Or(e.Stall, defaultStall)
	dialer := &net.Dialer{Timeout: stall, KeepAlive: 15 * time.Second}
	c, err := minio.New(e.Endpoint.Host, &minio.Options{
		Creds: e.Keys, Secure: e.Endpoint.Scheme == "https", Region: e.Region, MaxRetries: retries,
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment,
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				c, err := dialer.DialContext(ctx, network, address)
				return &impatient{c, stall}, err
			},
			TLSHandshakeTimeout: stall, ExpectContinueTimeout: time.Second, DisableCompression: true,
			MaxIdleConns: maxConns, MaxIdleConnsPerHost: maxConns, IdleConnTimeout: stall / 2,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("object storage at %s: %w", e.Endpoint, err)
	}
	return &s3{c, at}, nil
}

// impatient is a connection on which nothing may stand still.
type impatient struct {
	net.Conn
	stall time.Duration
}

func (c *impatient) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.stall)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

func (c *impatient) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.stall)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// s3 is a bucket.
type s3 struct {
	client *minio.Client
	at     Location
}

// Check implements Store: it looks for one object, which says more than asking for the bucket does.
func (s *s3) Check(ctx context.Context) error {
	err := s.list(ctx, minio.ListObjectsOptions{Prefix: s.at.Key, MaxKeys: 1}, func(Object) error { return errEnough })
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

var errEnough = errors.New("enough was seen")

// Put implements Store.
func (s *s3) Put(ctx context.Context, key string, content io.ReadSeeker, size int64, how How) error {
	o := minio.PutObjectOptions{PartSize: partBytes, ContentType: contentType(key)}
	if how == New {
		o.SetMatchETagExcept("*")
	}
	_, err := s.client.PutObject(ctx, s.at.Bucket, key, content, size, o)
	return s.wrap(ctx, key, err)
}

// Get implements Store.
func (s *s3) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	core := minio.Core{Client: s.client}
	body, _, _, err := core.GetObject(ctx, s.at.Bucket, key, minio.GetObjectOptions{})
	if err != nil {
		return nil, s.wrap(ctx, key, err)
	}
	return &reader{body, s, ctx, key}, nil
}

// reader is the content of an object, whose errors say where it is.
type reader struct {
	io.ReadCloser
	s   *s3
	ctx context.Context
	key string
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.s.wrap(r.ctx, r.key, err)
	}
	return n, err
}

// List implements Store.
func (s *s3) List(ctx context.Context, prefix string, fn func(Object) error) error {
	return s.list(ctx, minio.ListObjectsOptions{Prefix: prefix, Recursive: true}, fn)
}

func (s *s3) list(ctx context.Context, o minio.ListObjectsOptions, fn func(Object) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for found := range s.client.ListObjectsIter(ctx, s.at.Bucket, o) {
		if found.Err != nil {
			return s.wrap(ctx, o.Prefix, found.Err)
		}
		if err := fn(Object{Key: found.Key, Size: found.Size}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// contentType returns the content type of an object, for browsers.
func contentType(key string) string {
	for end, is := range map[string]string{
		".csv": "text/csv; charset=utf-8", ".jsonl": "application/x-ndjson", ".json": "application/json",
		".md": "text/markdown; charset=utf-8", ".txt": "text/plain; charset=utf-8", ".svg": "image/svg+xml",
		".parquet": "application/vnd.apache.parquet",
	} {
		if strings.HasSuffix(key, end) {
			return is
		}
	}
	return "application/octet-stream"
}

// wrap turns an error of the client into an *Error, or into ctx's cause when ctx has ended.
func (s *s3) wrap(ctx context.Context, key string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	e := &Error{URL: Location{s.at.Bucket, key}.String(), Kind: ErrAway, Err: err}
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) {
		e.Text = s.client.EndpointURL().Host + ": " + reason(err)
		return e
	}
	e.Text = answer.Code
	switch answer.Code {
	case "NoSuchKey":
		e.Kind, e.Text = ErrNotFound, ""
	case "PreconditionFailed", "ConditionalRequestConflict":
		e.Kind, e.Text = ErrExists, ""
	case "NoSuchBucket":
		e.Kind, e.Text = ErrDenied, "there is no such bucket"
		e.URL = scheme + s.at.Bucket
	case "NotImplemented": // of a request with a condition, for example
		e.Kind = ErrDenied
	case "QuotaExceeded", "XMinioStorageFull", "InsufficientStorage", "EntityTooLarge", "ServiceQuotaExceededException":
		e.Kind = ErrFull
	default:
		switch code := answer.StatusCode; {
		case code == http.StatusInsufficientStorage:
			e.Kind = ErrFull
		case code == http.StatusRequestTimeout || code == http.StatusTooManyRequests:
		case code/100 == 4 || code/100 == 3:
			e.Kind = ErrDenied // the same request is refused again, see the code
		}
	}
	return e
}

// reason is an error of the connection without the long address that it names.
func reason(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	text := err.Error()
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		text = text[:i]
	}
	return text
}
