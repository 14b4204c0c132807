//go:build sockets

package hostile

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	"pagoda/internal/fleet/keys"
	"pagoda/internal/fleet/natsqueue"
	"pagoda/internal/fleet/transfer"
	"pagoda/internal/puzzle"
)

// steals takes the tasks of the other workers, and keeps them.
func steals(ctx context.Context, p *process) {
	for _, name := range p.Others {
		q, err := natsqueue.NewWork(p.nc, p.run, name, natsqueue.WorkOptions{})
		if err != nil {
			return
		}
		go func() {
			for {
				if _, err := q.Next(ctx); err != nil {
					return
				}
				p.served.Add(1)
			}
		}()
	}
}

// idles keeps 100 connections open to NATS, and to each port from which windows come: with or without a TLS handshake.
func idles(handshake bool) func(ctx context.Context, p *process) {
	return func(ctx context.Context, p *process) {
		seen := make(map[string]bool)
		begin := func(address, name string) {
			if seen[address] {
				return
			}
			seen[address] = true
			for range 100 {
				go idle(ctx, p, address, name, handshake)
			}
		}
		if u, err := url.Parse(p.NATS); err == nil {
			begin(u.Host, keys.NATSName)
		}
		for ; ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
			for _, address := range p.addresses(ctx) {
				begin(address, keys.PeerName)
			}
		}
	}
}

// addresses are those of the holders of any windows, or of those with some names.
func (p *process) addresses(ctx context.Context, names ...string) (list []string) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	link, err := natsqueue.NewLink(p.nc, p.run)
	if err != nil {
		return nil
	}
	plans, _ := p.puzzle.Layer(2, nil)
	for i := range plans {
		parents, err := link.Locate(ctx, puzzle.Cell{Layer: 2, Key: plans[i].Key})
		if err != nil {
			return list
		}
		for _, l := range parents {
			for _, w := range l.Windows {
				for _, h := range w.Holders {
					if len(names) == 0 || slices.Contains(names, h.Name) {
						list = append(list, h.Address)
					}
				}
			}
		}
	}
	return list
}

// idle opens a connection and leaves it, and opens the next when it is closed.
func idle(ctx context.Context, p *process, address, name string, handshake bool) {
	for ctx.Err() == nil {
		c, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			if handshake {
				c = tls.Client(c, p.keys.ClientTLS(name))
				_ = c.(*tls.Conn).HandshakeContext(ctx)
			}
			p.served.Add(1)
			_, _ = c.Read(make([]byte, 4096))
			_, _ = c.Read(make([]byte, 4096))
			_ = c.Close()
		}
		time.Sleep(500 * time.Millisecond)
	}
}

// pries tries credentials that are bound to another run: at NATS, and for windows. With its own it asks for windows of
// another run.
func pries(ctx context.Context, p *process) {
	other, err := keys.Load(filepath.Join(filepath.Dir(p.Certs), "z"))
	if err != nil {
		return
	}
	for ; ctx.Err() == nil; time.Sleep(200 * time.Millisecond) {
		brief, cancel := context.WithTimeout(ctx, time.Second)
		if nc, err := natsqueue.Dial(brief, natsqueue.DialOptions{URL: p.NATS, Name: p.Name, Keys: other}); err == nil {
			p.pried.Add(1)
			nc.Close()
		}
		cancel()
		for _, address := range p.addresses(ctx, p.Others...) {
			p.ask(address, other, p.run)
			p.ask(address, p.keys, "0123456789ab")
		}
	}
}

// ask asks a worker for a window of a run.
func (p *process) ask(address string, k *keys.Credentials, run string) {
	c := http.Client{Timeout: time.Second, Transport: &http.Transport{
		TLSClientConfig: k.ClientTLS(keys.PeerName), DisableKeepAlives: true,
	}}
	for _, h := range p.committed() {
		r := transfer.Request{Run: run, Window: h.Window.ID(), Digest: h.Digest}
		resp, err := c.Get("https://" + address + r.URI())
		if err != nil {
			continue
		}
		p.served.Add(1)
		if _ = resp.Body.Close(); resp.StatusCode == http.StatusOK || resp.StatusCode == http.StatusConflict {
			p.pried.Add(1)
		}
		return
	}
}
