package pipeline

import (
	"slices"
	"strings"
)

// holderSet is a set of workers that hold a window's rows, as an index into holderSets; 0 is the empty set. Almost all
// windows of a run share a handful of sets, so a window spends four bytes on it.
type holderSet uint32

type holderSets struct {
	sets []holders
	// index finds a set by its names.
	index     map[string]holderSet
	addresses map[string]string // of the workers that have one
}

// holders is one set.
type holders struct {
	names   []string
	peers   []Peer // the same with addresses; replaced as a whole, never changed
	windows int    // that have this set
}

func (h *holderSets) names(s holderSet) []string {
	if s == 0 {
		return nil
	}
	return h.sets[s-1].names
}

// peers returns the holders with their addresses. The slice must not be modified.
func (h *holderSets) peers(s holderSet) []Peer {
	if s == 0 {
		return nil
	}
	return h.sets[s-1].peers
}

// of returns the set of the given names.
func (h *holderSets) of(names []string) holderSet {
	if len(names) == 0 {
		return 0
	}
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	key := strings.Join(names, "\x00")
	if s, ok := h.index[key]; ok {
		return s
	}
	if h.index == nil {
		h.index = make(map[string]holderSet)
	}
	h.sets = append(h.sets, holders{names: names, peers: h.addressed(names)})
	h.index[key] = holderSet(len(h.sets))
	return h.index[key]
}

func (h *holderSets) addressed(names []string) []Peer {
	peers := make([]Peer, len(names))
	for i, name := range names {
		peers[i] = Peer{Name: name, Address: h.addresses[name]}
	}
	return peers
}

// move notes the address of a worker.
func (h *holderSets) move(worker, address string) {
	if h.addresses[worker] == address {
		return
	}
	if h.addresses == nil {
		h.addresses = make(map[string]string)
	}
	h.addresses[worker] = address
	for i := range h.sets {
		if slices.Contains(h.sets[i].names, worker) {
			h.sets[i].peers = h.addressed(h.sets[i].names)
		}
	}
}

func (h *holderSets) with(s holderSet, name string) holderSet {
	old := h.names(s)
	if slices.Contains(old, name) {
		return s
	}
	return h.of(append(slices.Clone(old), name))
}

func (h *holderSets) without(s holderSet, names ...string) holderSet {
	old := h.names(s)
	left := slices.DeleteFunc(slices.Clone(old), func(n string) bool { return slices.Contains(names, n) })
	if len(left) == len(old) {
		return s
	}
	return h.of(left)
}

// set gives a window another set of holders.
func (h *holderSets) set(w *window, s holderSet) {
	if w.holders != 0 {
		h.sets[w.holders-1].windows--
	}
	if s != 0 {
		h.sets[s-1].windows++
	}
	w.holders = s
}

// held counts the windows that a worker holds.
func (h *holderSets) held(worker string) (n int) {
	for i := range h.sets {
		if s := &h.sets[i]; s.windows > 0 && slices.Contains(s.names, worker) {
			n += s.windows
		}
	}
	return n
}
