package transfer

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
)

func FuzzParseRequest(f *testing.F) {
	id := puzzle.WindowID{Cell: puzzle.Cell{Layer: 7, Key: "12.8.8.4"}, Part: 3}
	good := Request{Run: testRun, Window: id, From: 65536}
	for _, s := range []string{good.URI(), "/v1/runs/../windows/1/a/0?digest=&from=0", "", "/v1/runs/%2e/windows/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		r, err := ParseRequest(uri)
		if err != nil {
			return
		}
		if r.URI() != uri || !puzzle.ValidKey(r.Window.Key) || !validRun(r.Run) || len(uri) > maxURI {
			t.Errorf("%q is taken for %+v", uri, r)
		}
	})
}

func TestRequestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Request{
			Run: rapid.StringMatching(`[A-Za-z0-9][A-Za-z0-9_-]{0,63}`).Draw(t, "run"),
			Window: puzzle.WindowID{Cell: puzzle.Cell{
				Layer: rapid.IntRange(0, 1<<31-1).Draw(t, "layer"),
				Key:   rapid.StringMatching(`[a-z0-9][a-z0-9._-]{0,62}`).Draw(t, "key"),
			}, Part: rapid.IntRange(0, 1<<31-1).Draw(t, "part")},
			From: rapid.Uint64().Draw(t, "from"),
		}
		copy(r.Digest[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "digest"))
		if got, err := ParseRequest(r.URI()); err != nil || got != r {
			t.Fatalf("%+v comes back as %+v, %v", r, got, err)
		}
	})
}

// FuzzStream reads any bytes as a stream. A proper stream must be the same when it is written again.
func FuzzStream(f *testing.F) {
	f.Add(appendEnd(nil, statusWhole, 0))
	f.Add(appendEnd(appendFrame(appendFrame(nil, []byte("abc")), []byte{0}), statusDamaged, 2))
	f.Add([]byte{255, 255, 255, 255, 1})
	f.Add([]byte{0, 0, 1, 0, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		r := frameReader{r: bytes.NewReader(b)}
		var again []byte
		for {
			frame, err := r.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				if !errors.Is(err, errMalformed) && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Error(err)
				}
				if cap(r.buf) > 2*len(b)+2*bufferSize {
					t.Errorf("%d bytes of memory for a stream of %d", cap(r.buf), len(b))
				}
				return
			}
			if len(frame) == 0 || len(frame) > maxFrame {
				t.Fatalf("frame of %d bytes", len(frame))
			}
			again = appendFrame(again, frame)
		}
		if again = appendEnd(again, r.end, r.frames); !bytes.Equal(again, b) {
			t.Errorf("%x is read as %x", b, again)
		}
	})
}

// FuzzDownload hands anything to a window that is arriving: it takes blocks of the window only, and is whole only when
// it holds what the record says.
func FuzzDownload(f *testing.F) {
	w := puzzle.Window{Cell: puzzle.Cell{Layer: 1, Key: "a"}, First: 7, Addresses: 2*puzzle.BlockAddresses - 100}
	list := make([][]byte, 2)
	h := blocks.NewHasher(w)
	rec := kv.Record{Run: testRun, Window: w, Blocks: 2, Rows: 2}
	for i := range list {
		b := &puzzle.Block{First: w.First + uint64(i)*puzzle.BlockAddresses, Addresses: puzzle.BlockAddresses - 100*i}
		b.Occupied = make([]uint64, (b.Addresses+63)/64)
		b.Occupied[i] = 1 << 5
		b.Columns = [][]uint64{{uint64(1000 + i)}}
		h.Add(b)
		list[i] = blocks.Encode(nil, b)
		rec.Bytes += uint64(len(list[i]))
	}
	rec.Digest = h.Sum()
	f.Add(list[0], list[1])
	f.Add(list[1], list[0])
	f.Add(list[0], list[0])
	f.Add(list[0], []byte{})
	f.Fuzz(func(t *testing.T, x, y []byte) {
		into := &spool{}
		a := newInbound(&rec, into)
		for _, b := range [][]byte{x, y} {
			next := a.arrival.Next()
			if err := a.block(b, "peer"); err != nil {
				if !errors.Is(err, kv.ErrCorrupt) || a.arrival.Next() != next {
					t.Fatal(err)
				}
			}
		}
		var kept [][]byte
		_ = into.each(func(_ uint64, coded []byte) error {
			kept = append(kept, coded)
			return nil
		})
		if whole := slices.EqualFunc(kept, list, bytes.Equal); whole != (a.arrival.Check() == nil) {
			t.Errorf("%d list, %v", len(kept), a.arrival.Check())
		}
	})
}
