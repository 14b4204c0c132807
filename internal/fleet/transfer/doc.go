// Package transfer carries the rows of committed windows between workers, over HTTP/1.1 with or without TLS. NATS
// carries references; rows come straight from their holders.
//
// The usual way in, on every worker:
//
//	srv, err := transfer.NewServer(transfer.ServerOptions{Listen: "127.0.0.1:0"})
//	defer srv.Close()
//	stop, err := srv.Serve(run, store)       // before the worker tells anyone srv.Address()
//	defer stop()                             // before the store is closed
//	f, err := transfer.NewFetcher(transfer.Options{Store: store, Name: name})
//	defer f.Close()
//	err = f.Blocks(ctx, located, first, addresses, fn)
//
// # Requests
//
// There is one request, with one spelling, see [Request]:
//
//	GET /v1/runs/RUN/windows/LAYER/CELL/PART?digest=HEX&from=ADDRESS
//
// asks for the coded blocks of a window from an address on. Answers: 200 with a stream, 400 for any other request, 404
// when the window is not held, 409 when its digest is another, 503 when too many streams are open.
//
//	stream   frame* end
//	frame    length uint32, a coded block of that many bytes
//	end      0 uint32, status byte, frames uint32
//
// Numbers are little endian. A stream without its end was cut off; the client asks again from the address where it was
// cut, the same holder or another.
//
// # What is believed
//
// Nothing, until it has been checked: a frame is no longer than a block can be, a block decodes and belongs to the
// window. All blocks together are checked against the digest in the coordinator's record before the first row is used.
// Windows that arrived wait in memory, coded, within a budget that is never exceeded; the others wait in unnamed files.
package transfer
