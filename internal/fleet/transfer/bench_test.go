package transfer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// The windows of the English board have 25 KB on average; the large ones are several full blocks.
var benchSizes = []struct {
	name         string
	blocks, rows int
}{{"25KB", 1, 6000}, {"2MB", 16, 30000}}

func benchWindows(b *testing.B, s *kv.Store, n, blocks, rows int) (recs []kv.Record, bytes int64) {
	r := rand.New(rand.NewPCG(1, 2))
	for part := range n {
		recs = append(recs, fill(b, s, window(part, blocks), rows, r))
		bytes += int64(recs[part].Bytes)
	}
	return recs, bytes / int64(n)
}

func nothing(*puzzle.Block) error { return nil }

// BenchmarkFetch fetches windows from another worker over loopback, each for the first time.
func BenchmarkFetch(b *testing.B) {
	for _, size := range benchSizes {
		theirs := openStore(b)
		recs, bytes := benchWindows(b, theirs, 64, size.blocks, size.rows)
		srv := serve(b, theirs, ServerOptions{})
		for _, readers := range []int{1, 4} {
			b.Run(fmt.Sprintf("%s/readers=%d", size.name, readers), func(b *testing.B) {
				f := fetcher(b, Options{MemoryBytes: 2 * uint64(bytes)})
				lws := make([]protocol.LocatedWindow, len(recs))
				for i := range recs {
					lws[i] = located(recs[i], srv.Address())
				}
				b.SetBytes(bytes)
				b.ReportAllocs()
				b.SetParallelism(readers)
				b.ResetTimer()
				if readers == 1 {
					for i := range b.N {
						lw := lws[i%len(lws)]
						if err := f.Blocks(context.Background(), lw, lw.Record.First, lw.Record.Addresses, nothing); err != nil {
							b.Fatal(err)
						}
					}
					return
				}
				b.RunParallel(func(pb *testing.PB) {
					for i := rand.IntN(len(lws)); pb.Next(); i++ {
						lw := lws[i%len(lws)]
						if err := f.Blocks(context.Background(), lw, lw.Record.First, lw.Record.Addresses, nothing); err != nil {
							b.Error(err)
							return
						}
					}
				})
			})
		}
	}
}

// BenchmarkLocal reads the same windows from the worker's own store: the measure for a fetch.
func BenchmarkLocal(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(size.name, func(b *testing.B) {
			mine := openStore(b)
			recs, bytes := benchWindows(b, mine, 64, size.blocks, size.rows)
			f := fetcher(b, Options{Store: mine})
			b.SetBytes(bytes)
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				lw := located(recs[i%len(recs)])
				if err := f.Blocks(context.Background(), lw, lw.Record.First, lw.Record.Addresses, nothing); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAgain reads a fetched window that is still there.
func BenchmarkAgain(b *testing.B) {
	theirs := openStore(b)
	recs, bytes := benchWindows(b, theirs, 1, 1, 6000)
	f := fetcher(b, Options{})
	lw := located(recs[0], serve(b, theirs, ServerOptions{}).Address())
	b.SetBytes(bytes)
	b.ResetTimer()
	for range b.N {
		if err := f.Blocks(context.Background(), lw, lw.Record.First, lw.Record.Addresses, nothing); err != nil {
			b.Fatal(err)
		}
	}
}
