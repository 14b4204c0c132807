//go:build sockets

package hostile

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"pagoda/internal/fleet/keys"
	"pagoda/internal/fleet/transfer"
	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/run/engine/enginetest/hostile"
	"pagoda/internal/run/protocol"
)

// socketBehaviour is an attack with a worker's sockets alone.
type socketBehaviour struct {
	// speaks has the connection of a request for a window in the place of HTTP, until it returns.
	speaks func(c net.Conn)
	// frames returns what is sent in the place of a block.
	frames func(coded []byte) [][]byte
	// silent leaves a connection open whose TLS handshake has begun.
	silent bool
	waits  time.Duration // before a true answer
	floods func(ctx context.Context, p *process)
	// returns has the attacker come back under another name when it is refused.
	returns bool
}

// with adds what another behaviour does.
func (b socketBehaviour) with(o *socketBehaviour) socketBehaviour {
	if o.speaks != nil {
		b.speaks = o.speaks
	}
	if o.frames != nil {
		b.frames = o.frames
	}
	if o.floods != nil {
		b.floods = o.floods
	}
	b.silent, b.waits, b.returns = b.silent || o.silent, max(b.waits, o.waits), b.returns || o.returns
	return b
}

// listen serves windows, and returns its address.
func (p *process) listen() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	config := p.keys.ServerTLS()
	if p.sock.silent {
		config.GetConfigForClient = func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			p.served.Add(1)
			<-h.Context().Done()
			return nil, h.Context().Err()
		}
	}
	s := &http.Server{
		Handler: p, ErrorLog: log.New(io.Discard, "", 0),
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}, // HTTP/1.1 only
	}
	go func() { _ = s.Serve(tls.NewListener(l, config)) }()
	return l.Addr().String(), nil
}

// ServeHTTP answers a request for a window, as far as the behaviours let it.
func (p *process) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	req, err := transfer.ParseRequest(r.RequestURI)
	if err != nil {
		http.Error(w, "not a request for a window", http.StatusBadRequest)
		return
	}
	p.served.Add(1)
	if p.sock.speaks != nil {
		c, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			p.sock.speaks(c)
			_ = c.Close()
		}
		return
	}
	time.Sleep(p.sock.waits)
	answer := hostile.Rows
	if x := p.x.Load(); x != nil && x.Serves != nil {
		answer = x.Serves(x, p.reader(r))
	}
	switch answer {
	case hostile.NotHeld:
		http.Error(w, "the window is not held here", http.StatusNotFound)
		return
	case hostile.Nothing:
		panic(http.ErrAbortHandler)
	}
	frames := uint32(0)
	err = p.store.Coded(r.Context(), req.Window, req.Digest, req.From, 0, func(_ uint64, coded []byte) error {
		all := [][]byte{coded}
		if p.sock.frames != nil {
			all = p.sock.frames(coded)
		}
		for _, b := range all {
			if frames++; answer == hostile.FalseRows {
				b = append([]byte(nil), b...)
				b[len(b)/2] ^= 1
			}
			_, _ = w.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(b))))
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
		return nil
	})
	switch {
	case errors.Is(err, kv.ErrNotFound):
		http.Error(w, "the window is not held here", http.StatusNotFound)
	case err == nil:
		_, _ = w.Write(binary.LittleEndian.AppendUint32([]byte{0, 0, 0, 0, 0}, frames))
	}
}

// reader names the worker that asks; accomplices are x.
func (p *process) reader(r *http.Request) string {
	id, err := keys.PeerOf(r.TLS)
	if err == nil && id.Role == keys.Coordinator {
		return protocol.OwnWorker
	}
	for _, name := range p.Others {
		if err == nil && protocol.Fingerprint(name) == keys.Fingerprint(id.Key) {
			return name
		}
	}
	return "x"
}

const answered = "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"

// drip sends a byte of text every pause, and then zeros, until the reader goes.
func drip(c net.Conn, text string, pause time.Duration) {
	for i := 0; ; i++ {
		b := []byte{0}
		if i < len(text) {
			b[0] = text[i]
		}
		if _, err := c.Write(b); err != nil {
			return
		}
		time.Sleep(pause)
	}
}

// pour sends bytes again and again until the reader goes.
func pour(c net.Conn, again []byte) {
	for {
		if _, err := c.Write(again); err != nil {
			return
		}
	}
}

func frame(payload []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(payload))), payload...)
}

// bomb is a block of a few bytes with as many rows and columns as a block can have.
func bomb() []byte {
	const addresses = puzzle.BlockAddresses
	b := &puzzle.Block{Addresses: addresses, Occupied: make([]uint64, addresses/64)}
	for i := range b.Occupied {
		b.Occupied[i] = ^uint64(0)
	}
	for range blocks.MaxColumns {
		c := make([]uint64, addresses)
		for i := range c {
			c[i] = 1
		}
		b.Columns = append(b.Columns, c)
	}
	return blocks.Encode(nil, b)
}

// says answers with a text, and closes the connection.
func says(text string) *socketBehaviour {
	return &socketBehaviour{speaks: func(c net.Conn) { _, _ = io.WriteString(c, text) }}
}

// drips answers with a text, a byte every pause, and never ends.
func drips(text string, pause time.Duration) *socketBehaviour {
	return &socketBehaviour{speaks: func(c net.Conn) { drip(c, text, pause) }}
}

// pours answers with a text and then with the same bytes again and again.
func pours(text string, again []byte) *socketBehaviour {
	return &socketBehaviour{speaks: func(c net.Conn) {
		_, _ = io.WriteString(c, text)
		pour(c, again)
	}}
}

// sends replaces each block.
func sends(frames func(coded []byte) [][]byte) *socketBehaviour {
	return &socketBehaviour{frames: frames}
}

func refusal(status string) string { return "HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n" }

const body = answered + "\r\n"

// socketBehaviours has each under the name of its deed.
var socketBehaviours = map[string]*socketBehaviour{
	"accepts, and says nothing in TLS": {silent: true},
	"accepts, and says nothing":        drips("", time.Hour),
	"a header by drips":                drips(answered+"X: "+strings.Repeat("x", 1<<20), time.Second),
	"a body by drips":                  drips(body+"\x00\x01\x00\x00", time.Second),
	"the largest frame, by drips": drips(
		body+string(binary.LittleEndian.AppendUint32(nil, blocks.MaxBytes)), 100*time.Millisecond),
	"a header without end": pours(answered, []byte("X: "+strings.Repeat("x", 4096)+"\r\n")),
	"a frame of 2 GiB":     pours(body+"\xff\xff\xff\x7f", make([]byte, 1<<16)),
	"frames without end": pours(body,
		frame(blocks.Encode(nil, &puzzle.Block{Addresses: 20, Occupied: make([]uint64, 1)}))),
	"bombs":                   pours(body, frame(bomb())),
	"sends readers elsewhere": says(refusal("302 Found\r\nLocation: https://127.0.0.1:1/")),
	"answers 500":             says(refusal("500 Internal Server Error")),
	"busy for ever":           says(refusal("503 Service Unavailable")),
	"no HTTP":                 says("SSH-2.0-x\r\n"),
	"every block twice":       sends(func(b []byte) [][]byte { return [][]byte{b, b} }),
	"blocks left out":         sends(func([]byte) [][]byte { return nil }),
	"blocks too long": sends(func(b []byte) [][]byte {
		return [][]byte{append(slices.Clip(b), make([]byte, 1<<20)...)}
	}),
	"answers late":                    {waits: 6500 * time.Millisecond},
	"answers each time a second late": {waits: time.Second},
	"returns under 1,000 names":       {returns: true},
	"steals tasks":                    {floods: steals},
	"pries into other runs":           {floods: pries},
	"idle sockets":                    {floods: idles(false)},
	"idle TLS sockets":                {floods: idles(true)},
}
