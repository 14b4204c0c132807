package transfer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"pagoda/internal/puzzle/blocks"
)

// status ends a stream.
type status byte

const (
	statusWhole   status = iota // that was all of it
	statusDamaged               // the sender's copy is damaged
	statusLeaving               // the sender is stopping
	statusFailed                // the sender could not read on
	statusCount
)

const (
	frameHead  = 4
	endBytes   = frameHead + 1 + 4
	maxFrame   = blocks.MaxBytes
	bufferSize = 64 << 10
)

// errMalformed is wrapped when a peer does not speak this protocol.
var errMalformed = errors.New("malformed stream")

func appendFrame(dst, payload []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(payload))), payload...)
}

func appendEnd(dst []byte, s status, frames uint32) []byte {
	dst = append(binary.LittleEndian.AppendUint32(dst, 0), byte(s))
	return binary.LittleEndian.AppendUint32(dst, frames)
}

// frameReader reads a stream.
type frameReader struct {
	r      io.Reader
	frames uint32
	end    status
	head   [endBytes]byte
	buf    []byte
}

// next returns the next frame, valid until the call after it, or io.EOF after the end of the stream, whose status is
// then in f.end. Errors wrap errMalformed, or are the reader's; a stream that is cut off is io.ErrUnexpectedEOF.
func (f *frameReader) next() ([]byte, error) {
	if _, err := io.ReadFull(f.r, f.head[:frameHead]); err != nil {
		return nil, cutOff(err)
	}
	n := binary.LittleEndian.Uint32(f.head[:])
	if n == 0 {
		return nil, f.finish()
	}
	if n > maxFrame {
		return nil, fmt.Errorf("%w: frame of %d bytes, at most %d are allowed", errMalformed, n, maxFrame)
	}
	// The length is a claim: memory is taken as the bytes come.
	f.buf = f.buf[:0]
	for len(f.buf) < int(n) {
		at, step := len(f.buf), min(int(n)-len(f.buf), max(bufferSize, len(f.buf)))
		f.buf = append(f.buf, make([]byte, step)...)
		if _, err := io.ReadFull(f.r, f.buf[at:]); err != nil {
			return nil, cutOff(err)
		}
	}
	f.frames++
	return f.buf, nil
}

func (f *frameReader) finish() error {
	if _, err := io.ReadFull(f.r, f.head[frameHead:]); err != nil {
		return cutOff(err)
	}
	f.end = status(f.head[frameHead])
	if n := binary.LittleEndian.Uint32(f.head[frameHead+1:]); f.end >= statusCount || n != f.frames {
		return fmt.Errorf("%w: it ends with status %d after %d frames, %d came", errMalformed, f.end, n, f.frames)
	}
	// To have seen the end of the body also lets the connection be used again.
	switch n, err := io.ReadFull(f.r, f.head[:1]); {
	case n > 0:
		return fmt.Errorf("%w: it goes on after its end", errMalformed)
	case !errors.Is(err, io.EOF):
		return cutOff(err)
	}
	return io.EOF
}

func cutOff(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
