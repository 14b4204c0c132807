//go:build cgo

package kv

// outsideGo says where Pebble keeps its caches: with C's allocator, when there is one.
const outsideGo = true
