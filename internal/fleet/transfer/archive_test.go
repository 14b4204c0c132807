package transfer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/run/protocol"
)

// shelved is an archive of one object, or with an error instead.
type shelved struct {
	object []byte
	err    error
	opened int
}

func (s *shelved) String() string { return "s3://bucket" }

func (s *shelved) Open(context.Context, *kv.Record) (io.ReadCloser, error) {
	s.opened++
	return io.NopCloser(bytes.NewReader(s.object)), s.err
}

// streamOf is the stream of a window of a store.
func streamOf(t *testing.T, s *kv.Store, rec kv.Record) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteStream(t.Context(), s, &rec, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// archivedAt is a window that workers at addresses hold, and the archive.
func archivedAt(rec kv.Record, addresses ...string) protocol.LocatedWindow {
	lw := located(rec, addresses...)
	lw.Holders = append(lw.Holders, protocol.Peer{Name: protocol.ArchiveName})
	return lw
}

// TestArchive: a window comes from the archive when no worker has it, also when a part of it came from a worker that
// broke off. While a worker serves it, the archive is not asked.
func TestArchive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	theirs := openStore(t)
	srv := serve(t, theirs, ServerOptions{})
	rec := fill(t, theirs, window(0, 5), 400, r)
	want := truth(t, theirs, rec, rec.First, rec.Addresses)
	damaged := serve(t, damagedAt(theirs, int(rec.Blocks)-1), ServerOptions{})
	for what, c := range map[string]struct {
		workers []string
		opened  int
	}{
		"alone": {nil, 1}, "beside a worker": {[]string{srv.Address()}, 0},
		"beside a damaged copy": {[]string{damaged.Address()}, 1}, "beside a dead worker": {[]string{"127.0.0.1:1"}, 1},
	} {
		a := &shelved{object: streamOf(t, theirs, rec)}
		f := fetcher(t, Options{Archive: a})
		got, err := read(f, archivedAt(rec, c.workers...), rec.First, rec.Addresses)
		if err != nil || !equal(got, want) || a.opened != c.opened {
			t.Errorf("%s: %d blocks, %v, opened %d times", what, len(got), err, a.opened)
		}
	}
	f := fetcher(t, Options{})
	if _, err := read(f, archivedAt(rec), rec.First, rec.Addresses); !errors.Is(err, kv.ErrNotFound) {
		t.Errorf("without an archive: %v", err)
	}
}

// TestBadArchive: an object of no use, and an archive that does not serve us, are told as those of a worker are.
func TestBadArchive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	theirs := openStore(t)
	rec := fill(t, theirs, window(0, 5), 400, r)
	object := streamOf(t, theirs, rec)
	flipped := bytes.Clone(object)
	flipped[len(flipped)/2] ^= 1
	for what, c := range map[string]struct {
		archive shelved
		kind    Kind
		asked   int
		wraps   error
	}{
		"no object": {shelved{err: kv.ErrNotFound}, NotHeld, 1, kv.ErrNotFound},
		"refused":   {shelved{err: ErrRefused}, Refused, 1, protocol.ErrUnreachable},
		"out":       {shelved{err: io.ErrClosedPipe}, Unreachable, 0, protocol.ErrUnreachable},
		"cut off":   {shelved{object: object[:len(object)-1]}, Malformed, maxWrong, kv.ErrCorrupt},
		"flipped":   {shelved{object: flipped}, Corrupt, maxWrong, kv.ErrCorrupt},
		"longer":    {shelved{object: append(bytes.Clone(object), 0)}, Malformed, maxWrong, kv.ErrCorrupt},
	} {
		f := fetcher(t, Options{Archive: &c.archive, Patience: 1})
		_, err := read(f, archivedAt(rec), rec.First, rec.Addresses)
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, c.wraps) || len(e.Peers) != 1 || e.Peers[0].Kind != c.kind ||
			c.asked > 0 && c.archive.opened != c.asked || !strings.Contains(err.Error(), "s3://bucket") {
			t.Errorf("%s: %v, opened %d times", what, err, c.archive.opened)
		}
	}
}

// failsAt fails at write number n, counted from 0.
type failsAt int

func (n *failsAt) Write(p []byte) (int, error) {
	if *n--; *n < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

// TestWriteStream: the stream of a window is the same that a server sends. An error of the window, or of the writer,
// whichever write it is, is returned.
func TestWriteStream(t *testing.T) {
	theirs := openStore(t)
	srv := serve(t, theirs, ServerOptions{})
	rec := fill(t, theirs, window(0, 3), 400, rand.New(rand.NewPCG(1, 1)))
	if b := streamOf(t, theirs, rec); !bytes.HasSuffix(answer(t, rec, srv.Address()), b) || len(b) < int(rec.Bytes) {
		t.Errorf("a stream of %d bytes is not the one of a server", len(b))
	}
	writes := 2*int(rec.Blocks) + 1
	for n := range writes + 1 {
		w := failsAt(n)
		if err := WriteStream(t.Context(), theirs, &rec, &w); (err == nil) != (n == writes) {
			t.Errorf("write %d of %d fails: %v", n, writes, err)
		}
	}
	if err := WriteStream(t.Context(), damagedAt(theirs, 1), &rec, io.Discard); !errors.Is(err, kv.ErrCorrupt) {
		t.Errorf("a damaged window: %v", err)
	}
}

// TestFrames: a stream ends with how it ended and how many frames it had, and nothing comes after that.
func TestFrames(t *testing.T) {
	one := appendFrame(nil, []byte("block"))
	end := func(s status, frames uint32) []byte { return appendEnd(bytes.Clone(one), s, frames) }
	for what, c := range map[string]struct {
		stream []byte
		want   error
	}{
		"whole": {end(statusWhole, 1), io.EOF}, "failed": {end(statusFailed, 1), io.EOF},
		"a frame less": {end(statusWhole, 2), errMalformed}, "a frame more": {end(statusWhole, 0), errMalformed},
		"no such status": {end(statusCount, 1), errMalformed}, "more": {append(end(statusWhole, 1), 0), errMalformed},
		"no end": {one, io.ErrUnexpectedEOF}, "half an end": {end(statusWhole, 1)[:len(one)+6], io.ErrUnexpectedEOF},
		"half a frame": {one[:6], io.ErrUnexpectedEOF}, "half a head": {one[:2], io.ErrUnexpectedEOF},
		"too large": {[]byte{255, 255, 255, 255}, errMalformed},
	} {
		for _, r := range []io.Reader{bytes.NewReader(c.stream), iotest.OneByteReader(bytes.NewReader(c.stream))} {
			f := frameReader{r: r}
			var err error
			for err == nil {
				_, err = f.next()
			}
			if !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", what, err, c.want)
			}
		}
	}
	failing := frameReader{r: io.MultiReader(bytes.NewReader(end(statusWhole, 1)), iotest.ErrReader(io.ErrClosedPipe))}
	_, err := failing.next()
	if _, end := failing.next(); err != nil || !errors.Is(end, io.ErrClosedPipe) {
		t.Errorf("an error after the end: %v, %v", err, end)
	}
}

// TestAnswers: every answer of a server has its kind, and so has every end of a stream.
func TestAnswers(t *testing.T) {
	peer := protocol.Peer{Name: "w", Address: "w:1"}
	for code, want := range map[int]Kind{
		404: NotHeld, 409: OtherDigest, 503: Busy, 401: Refused, 403: Refused, 500: Failed, 400: Malformed, 302: Malformed,
	} {
		var e *PeerError
		if err := statusError(peer, code); !errors.As(err, &e) || e.Kind != want || e.Peer != peer {
			t.Errorf("status %d: %v, want %s", code, err, want)
		}
	}
	if err := endError(peer, statusWhole); err != nil {
		t.Error(err)
	}
	for end, want := range map[status]Kind{statusDamaged: Damaged, statusLeaving: Failed, statusFailed: Failed} {
		var e *PeerError
		if err := endError(peer, end); !errors.As(err, &e) || e.Kind != want || (e.Err != nil) != (end == statusLeaving) {
			t.Errorf("end %d: %v, want %s", end, err, want)
		}
	}
}

// TestDelivery: a block is passed on when it belongs to the window and stands where it says.
func TestDelivery(t *testing.T) {
	rec := kv.Record{Run: testRun, Window: window(1, 3)}
	coded := func(first uint64, addresses int) []byte {
		b := &puzzle.Block{First: first, Addresses: addresses, Occupied: make([]uint64, (addresses+63)/64)}
		b.Occupied[0] = 1
		return blocks.Encode(nil, b)
	}
	good := coded(rec.First, puzzle.BlockAddresses)
	for what, c := range map[string]struct {
		at    uint64
		coded []byte
		ok    bool
	}{
		"good": {rec.First, good, true}, "nonsense": {rec.First, []byte("nonsense"), false},
		"of another window": {rec.First, coded(window(2, 3).First, puzzle.BlockAddresses), false},
		"short":             {rec.First, coded(rec.First, 64), false},
		"of another place":  {rec.First + puzzle.BlockAddresses, good, false},
	} {
		n := 0
		d := newDelivery(&rec, rec.First, rec.Addresses, func(*puzzle.Block) error { n++; return nil })
		err := d.block(c.at, c.coded)
		if (err == nil) != c.ok || err != nil && !errors.Is(err, kv.ErrCorrupt) || (n == 1) != c.ok {
			t.Errorf("%s: passed %d times, %v", what, n, err)
		}
		d.free()
	}
	const step = puzzle.BlockAddresses
	far := uint64(1 << 63)
	for _, c := range []struct {
		first, addresses, from, end uint64
		whole                       bool
	}{
		{rec.First, rec.Addresses, rec.First, rec.First + rec.Addresses, true},
		{0, 1<<64 - 1, rec.First, rec.First + rec.Addresses, true},
		{far, far, far - (far-rec.First)%step, rec.First + rec.Addresses, false}, // to the last address of all
		{rec.First + 1, 5, rec.First, rec.First + 6, false},
		{rec.First + step, 1, rec.First + step, rec.First + step + 1, false},
	} {
		d := newDelivery(&rec, c.first, c.addresses, nil)
		if d.from != c.from || d.end != c.end || d.whole != c.whole {
			t.Errorf("%d addresses from %d: from %d to %d, whole %t", c.addresses, c.first, d.from, d.end, d.whole)
		}
		d.free()
	}
}
