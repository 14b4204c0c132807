package plan

import (
	"slices"
	"strings"

	"pagoda/internal/run/protocol"
)

// ReplicaSet is a set of workers that hold a window's rows, as an index into ReplicaSets; 0 is the empty set. Almost
// all windows of a run share a handful of sets, so a window spends four bytes on it.
type ReplicaSet uint32

// ReplicaSets keeps each set of workers once, however many windows they hold.
type ReplicaSets struct {
	sets []holders
	// index finds a set by its names.
	index map[string]ReplicaSet
	peers map[string]protocol.Peer // the workers that have an address
	free  []ReplicaSet             // of sets
	kept  int                      // sets that windows had when the others were last forgotten
}

// holders is one set.
type holders struct {
	names   []string
	peers   []protocol.Peer // the same with addresses; replaced as a whole, never changed
	windows int             // that have this set
}

// Names lists the workers of a set; the caller does not change the slice.
func (h *ReplicaSets) Names(s ReplicaSet) []string {
	if s == 0 {
		return nil
	}
	return h.sets[s-1].names
}

// Peers returns the holders with their addresses. The slice must not be modified.
func (h *ReplicaSets) Peers(s ReplicaSet) []protocol.Peer {
	if s == 0 {
		return nil
	}
	return h.sets[s-1].peers
}

// of returns the set of the given names.
func (h *ReplicaSets) of(names []string) ReplicaSet {
	if len(names) == 0 {
		return 0
	}
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	key := strings.Join(names, "\x00")
	if s, ok := h.index[key]; ok {
		return s
	}
	if h.index == nil {
		h.index = make(map[string]ReplicaSet)
	}
	set := holders{names: names, peers: h.addressed(names)}
	if n := len(h.free); n > 0 {
		h.index[key] = h.free[n-1]
		h.sets[h.free[n-1]-1] = set
		h.free = h.free[:n-1]
		return h.index[key]
	}
	h.sets = append(h.sets, set)
	h.index[key] = ReplicaSet(len(h.sets))
	return h.index[key]
}

// compact forgets the sets that no window has, when they are many. The caller has no set in hand.
func (h *ReplicaSets) compact() {
	const many = 256
	if len(h.index) < h.kept+many {
		return
	}
	for i := range h.sets {
		if s := &h.sets[i]; s.windows == 0 && s.names != nil {
			delete(h.index, strings.Join(s.names, "\x00"))
			*s = holders{}
			h.free = append(h.free, ReplicaSet(i+1))
		}
	}
	h.kept = len(h.index)
}

func (h *ReplicaSets) addressed(names []string) []protocol.Peer {
	peers := make([]protocol.Peer, len(names))
	for i, name := range names {
		peers[i] = h.peers[name]
		peers[i].Name = name
	}
	return peers
}

// setPeer notes where a worker serves its rows.
func (h *ReplicaSets) setPeer(p protocol.Peer) {
	if h.peers[p.Name] == p {
		return
	}
	if h.peers == nil {
		h.peers = make(map[string]protocol.Peer)
	}
	h.peers[p.Name] = p
	for i := range h.sets {
		if slices.Contains(h.sets[i].names, p.Name) {
			h.sets[i].peers = h.addressed(h.sets[i].names)
		}
	}
}

func (h *ReplicaSets) with(s ReplicaSet, name string) ReplicaSet {
	old := h.Names(s)
	if slices.Contains(old, name) {
		return s
	}
	return h.of(append(slices.Clone(old), name))
}

func (h *ReplicaSets) without(s ReplicaSet, names ...string) ReplicaSet {
	old := h.Names(s)
	left := slices.DeleteFunc(slices.Clone(old), func(n string) bool { return slices.Contains(names, n) })
	if len(left) == len(old) {
		return s
	}
	return h.of(left)
}

// set gives a window another set of holders.
func (h *ReplicaSets) set(w *Window, s ReplicaSet) {
	if w.Replicas != 0 {
		h.sets[w.Replicas-1].windows--
	}
	if s != 0 {
		h.sets[s-1].windows++
	}
	w.Replicas = s
}

// Count counts the windows that a worker holds.
func (h *ReplicaSets) Count(worker string) (n int) {
	for i := range h.sets {
		if s := &h.sets[i]; s.windows > 0 && slices.Contains(s.names, worker) {
			n += s.windows
		}
	}
	return n
}
