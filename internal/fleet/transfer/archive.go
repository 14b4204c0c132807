package transfer

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"pagoda/internal/kv"
	"pagoda/internal/run/protocol"
)

// An Archive has windows as well as workers do, each as the stream that a worker would send of all of it. It is one
// more holder: it is asked last, and its blocks are checked like any worker's. Safe for concurrent use.
type Archive interface {
	// Open opens the stream of a window. Errors wrap kv.ErrNotFound when there is none, ErrRefused when asking again is
	// useless; others may pass.
	Open(ctx context.Context, rec *kv.Record) (io.ReadCloser, error)
	// String says where it is, for people.
	String() string
}

// ErrRefused is wrapped by an Archive that does not serve us at all.
var ErrRefused = errors.New("refused")

// WriteStream writes the stream of a whole window that source has. Errors are those of source and w.
func WriteStream(ctx context.Context, source Source, rec *kv.Record, w io.Writer) error {
	frames := uint32(0)
	var head [frameHead]byte
	err := source.Coded(ctx, rec.ID(), rec.Digest, rec.First, 0, func(_ uint64, coded []byte) error {
		frames++
		binary.LittleEndian.PutUint32(head[:], uint32(len(coded)))
		if _, err := w.Write(head[:]); err != nil {
			return err
		}
		_, err := w.Write(coded)
		return err
	})
	if err == nil {
		_, err = w.Write(appendEnd(nil, statusWhole, frames))
	}
	return err
}

// archived is receive from the archive.
func (f *Fetcher) archived(ctx context.Context, p protocol.Peer, a *inbound, alive func()) (bytes uint64, err error) {
	if a.arrival.Next() != a.want.First {
		a.reset() // an object is read from its beginning
	}
	body, err := f.o.Archive.Open(ctx, a.want)
	switch {
	case err == nil:
	case errors.Is(err, kv.ErrNotFound):
		return 0, &PeerError{Peer: p, Kind: NotHeld}
	case errors.Is(err, ErrRefused):
		return 0, &PeerError{Peer: p, Kind: Refused, Err: err}
	default:
		return 0, &PeerError{Peer: p, Kind: Unreachable, Err: err}
	}
	defer func() { _ = body.Close() }()
	alive()
	bytes, err = receiveFrames(p, body, a, alive)
	if errors.Is(err, io.ErrUnexpectedEOF) && ctx.Err() == nil {
		// The object itself is cut off: S3 tells when a download is.
		return bytes, fmt.Errorf("%w: %w", errMalformed, err)
	}
	return bytes, err
}
