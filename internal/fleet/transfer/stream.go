package transfer

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"pagoda/internal/fleet/keys"
	"pagoda/internal/fleet/transfer/sockets"
	"pagoda/internal/kv"
)

// handle answers a request.
func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	if r.Method != http.MethodGet {
		http.Error(w, "only GET is answered here", http.StatusMethodNotAllowed)
		return
	}
	req, err := ParseRequest(r.RequestURI)
	if err != nil || r.ContentLength != 0 {
		http.Error(w, "not a request for a window", http.StatusBadRequest)
		return
	}
	if !s.may(r, req.Run) {
		http.Error(w, "not with these credentials", http.StatusForbidden)
		return
	}
	sockets.Proper(r)
	st := &stream{w: w, control: http.NewResponseController(w), time: s.o.SendTime, buf: streamBuffers.Get().(*[]byte)}
	defer st.free()
	kind, err := s.answer(r.Context(), &req, st)
	s.o.OnServed(Served{
		Run: req.Run, Window: req.Window, Client: r.RemoteAddr, Bytes: st.bytes, Took: time.Since(start),
		Kind: kind, Err: err,
	})
}

// may reports whether the client's credentials are good for a run.
func (s *Server) may(r *http.Request, run string) bool {
	if s.o.Keys == nil {
		return true
	}
	id, err := keys.PeerOf(r.TLS)
	return err == nil && (id.Role == keys.Worker || id.Role == keys.Coordinator) && id.MayUse(run)
}

func (s *Server) answer(ctx context.Context, req *Request, st *stream) (Kind, error) {
	v := s.enter(req.Run, st)
	if v == nil {
		return NotHeld, st.refuse(http.StatusNotFound, "the run is not served here")
	}
	defer s.exit(v, st)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(v.ctx, cancel)()
	st.ctx = ctx
	if !s.turn(ctx) {
		return Busy, st.refuse(http.StatusServiceUnavailable, "too many streams")
	}
	defer s.leave()

	err := v.source.Coded(ctx, req.Window, req.Digest, req.From, 0, st.block)
	var other *kv.OtherDigestError
	switch {
	case st.err != nil:
		return Broken, st.err // the client's end: no reader is left to tell
	case err == nil:
		if err = st.finish(statusWhole); err != nil {
			return Broken, err
		}
		return "", nil
	case errors.Is(err, kv.ErrNotFound):
		return NotHeld, st.refuse(http.StatusNotFound, "the window is not held here")
	case errors.As(err, &other):
		return OtherDigest, st.refuse(http.StatusConflict, "the window is held with another digest")
	case errors.Is(err, kv.ErrCorrupt):
		return Damaged, errors.Join(err, st.finish(statusDamaged))
	case v.ctx.Err() != nil || errors.Is(err, kv.ErrClosed):
		return Failed, errors.Join(err, st.finish(statusLeaving))
	case ctx.Err() != nil:
		return Broken, err
	default:
		return Failed, errors.Join(err, st.finish(statusFailed))
	}
}

// turn waits until a stream may begin; false says that it would take too long.
func (s *Server) turn(ctx context.Context) bool {
	select {
	case s.waiting <- struct{}{}:
	default:
		return false
	}
	select {
	case s.streams <- struct{}{}:
		return true
	default:
	}
	t := time.NewTimer(s.o.QueueTime)
	defer t.Stop()
	select {
	case s.streams <- struct{}{}:
		return true
	case <-t.C:
	case <-ctx.Done():
	}
	<-s.waiting
	return false
}

func (s *Server) leave() {
	<-s.streams
	<-s.waiting
}

var streamBuffers = sync.Pool{New: func() any { b := make([]byte, 0, bufferSize); return &b }}

// stream is a response being written. An answer that fits in the buffer goes out as one write with its length known.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	ctx     context.Context
	time    time.Duration // for one write
	buf     *[]byte
	frames  uint32
	bytes   uint64
	begun   bool
	err     error // of writing
}

func (st *stream) free() {
	if cap(*st.buf) <= 2*bufferSize {
		*st.buf = (*st.buf)[:0]
		streamBuffers.Put(st.buf)
	}
}

// breakOff ends a write that waits for the client. It runs beside the stream's own goroutine.
func (st *stream) breakOff() { _ = st.control.SetWriteDeadline(time.Unix(1, 0)) }

// block sends one coded block.
func (st *stream) block(_ uint64, coded []byte) error {
	st.frames++
	st.bytes += uint64(len(coded))
	if len(*st.buf) > 0 && len(*st.buf)+frameHead+len(coded) > bufferSize {
		if err := st.flush(); err != nil {
			return err
		}
	}
	*st.buf = appendFrame(*st.buf, coded)
	return nil
}

func (st *stream) finish(s status) error {
	*st.buf = appendEnd(*st.buf, s, st.frames)
	if !st.begun {
		st.w.Header().Set("Content-Length", strconv.Itoa(len(*st.buf)))
	}
	return st.flush()
}

func (st *stream) flush() error {
	if !st.begun {
		st.w.Header().Set("Content-Type", "application/octet-stream")
		st.begun = true
	}
	st.err = st.control.SetWriteDeadline(time.Now().Add(st.time))
	// A caller that broke the stream off before the deadline was set has cancelled its context first.
	if st.err == nil {
		st.err = st.ctx.Err()
	}
	if st.err == nil {
		_, st.err = st.w.Write(*st.buf)
	}
	*st.buf = (*st.buf)[:0]
	return st.err
}

// refuse answers with an error instead of a stream; the stream must not have begun.
func (st *stream) refuse(code int, text string) error {
	if st.begun {
		return st.finish(statusFailed)
	}
	_ = st.control.SetWriteDeadline(time.Now().Add(st.time))
	http.Error(st.w, text, code)
	return nil
}
