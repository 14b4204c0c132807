//go:build !cgo

package kv

// outsideGo says where Pebble keeps its caches: in Go's heap, when there is no other.
const outsideGo = false
