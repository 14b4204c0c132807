package pipeline

import (
	"slices"
	"strings"
)

// holderSet is a set of workers that hold a window's rows, as an index into holderSets; 0 is the empty set. Almost all
// windows of a run share a handful of sets, so a window spends four bytes on it.
type holderSet uint32

type holderSets struct {
	sets [][]string
	// peersOf are the sets with addresses.
	peersOf [][]Peer
	index   map[string]holderSet
}

func (h *holderSets) names(s holderSet) []string {
	if s == 0 {
		return nil
	}
	return h.sets[s-1]
}

// peers returns the holders with their addresses. The slice must not be modified.
func (h *holderSets) peers(s holderSet) []Peer {
	if s == 0 {
		return nil
	}
	return h.peersOf[s-1]
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
	h.sets = append(h.sets, names)
	peers := make([]Peer, len(names))
	for i, name := range names {
		peers[i] = Peer{Name: name}
	}
	h.peersOf = append(h.peersOf, peers)
	h.index[key] = holderSet(len(h.sets))
	return h.index[key]
}

func (h *holderSets) with(s holderSet, name string) holderSet {
	old := h.names(s)
	if slices.Contains(old, name) {
		return s
	}
	return h.of(append(slices.Clone(old), name))
}

func (h *holderSets) without(s holderSet, name string) holderSet {
	old := h.names(s)
	i := slices.Index(old, name)
	if i < 0 {
		return s
	}
	return h.of(slices.Delete(slices.Clone(old), i, i+1))
}
