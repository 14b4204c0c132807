//go:build linux

package testbed

import (
	"errors"
	"fmt"
	"net/netip"
	"os/exec"
	"strings"
	"sync"
)

// A Network is a bridge of this machine's with a namespace for each host on it.
type Network struct {
	bridge string
	base   netip.Prefix

	mu    sync.Mutex
	cuts  map[[2]string]bool
	hosts []*Host
}

// A Host is a network namespace with one address on the bridge.
type Host struct {
	Name string
	Addr netip.Addr
}

// NewNetwork makes the bridge. The test itself has the first address on it.
func NewNetwork(name string) (*Network, error) {
	n := &Network{bridge: name, cuts: map[[2]string]bool{}, base: netip.MustParsePrefix("10.77.0.0/24")}
	if err := ip("link", "add", n.bridge, "type", "bridge"); err != nil {
		return nil, err
	}
	err := ip("addr", "add", n.Gateway().String()+"/24", "dev", n.bridge)
	if err == nil {
		err = ip("link", "set", n.bridge, "up")
	}
	if err != nil {
		n.Close()
		return nil, err
	}
	return n, nil
}

// Gateway is the address of the test itself.
func (n *Network) Gateway() netip.Addr { return n.base.Addr().Next() }

// Add makes a host.
func (n *Network) Add(short string) (*Host, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	addr := n.Gateway()
	for range len(n.hosts) + 1 {
		addr = addr.Next()
	}
	h := &Host{Name: n.bridge + short, Addr: addr}
	n.hosts = append(n.hosts, h)
	inside := "v" + h.Name
	for _, step := range [][]string{
		{"netns", "add", h.Name},
		{"link", "add", inside, "type", "veth", "peer", "name", "eth0", "netns", h.Name},
		{"link", "set", inside, "master", n.bridge, "up"},
		{"-n", h.Name, "addr", "add", addr.String() + "/24", "dev", "eth0"},
		{"-n", h.Name, "link", "set", "eth0", "up"},
		{"-n", h.Name, "link", "set", "lo", "up"},
	} {
		if err := ip(step...); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// ErrCut says that two hosts are cut off from each other already.
var ErrCut = errors.New("cut off already")

// Cut lets nothing pass between a and b, without a word to either: packets vanish.
func (n *Network) Cut(a, b *Host) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cuts[pair(a, b)] {
		return ErrCut
	}
	n.cuts[pair(a, b)] = true
	if err := ip("-n", a.Name, "route", "replace", "blackhole", b.Addr.String()+"/32"); err != nil {
		return err
	}
	return ip("-n", b.Name, "route", "replace", "blackhole", a.Addr.String()+"/32")
}

// Mend undoes Cut.
func (n *Network) Mend(a, b *Host) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.cuts, pair(a, b))
	if err := ip("-n", a.Name, "route", "del", "blackhole", b.Addr.String()+"/32"); err != nil {
		return err
	}
	return ip("-n", b.Name, "route", "del", "blackhole", a.Addr.String()+"/32")
}

func pair(a, b *Host) [2]string { return [2]string{min(a.Name, b.Name), max(a.Name, b.Name)} }

// Limit bounds what a host can receive to bits per second.
func (n *Network) Limit(h *Host, bits uint64) error {
	out, err := exec.Command("tc", "qdisc", "replace", "dev", "v"+h.Name, "root", "tbf", "rate",
		fmt.Sprintf("%dbit", bits), "burst", "256kb", "latency", "100ms").CombinedOutput()
	if err != nil {
		return fmt.Errorf("tc: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}

// Close removes all of it.
func (n *Network) Close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, h := range n.hosts {
		_ = ip("netns", "del", h.Name)
	}
	_ = ip("link", "del", n.bridge)
}

func ip(args ...string) error {
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}
