// Package objectstest has object storage that is in memory, and fails when it is told to.
package objectstest

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"sync"

	"pagoda/internal/fleet/objects"
)

// Memory is an objects.Store. The zero value is an empty bucket.
type Memory struct {
	mu      sync.Mutex
	objects map[string][]byte
	fail    func(op, key string) error
	read    map[string]int
}

// Fail makes every operation call fn first, with "check", "put", "get" or "list", and the name. nil ends that.
func (m *Memory) Fail(fn func(op, key string) error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = fn
}

func (m *Memory) ask(op, key string) error {
	m.mu.Lock()
	fail := m.fail
	m.mu.Unlock()
	if fail == nil {
		return nil
	}
	return fail(op, key)
}

// Check implements objects.Store.
func (m *Memory) Check(context.Context) error { return m.ask("check", "") }

// Put implements objects.Store.
func (m *Memory) Put(_ context.Context, key string, content io.ReadSeeker, _ int64, how objects.How) error {
	if err := m.ask("put", key); err != nil {
		return err
	}
	b, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, there := m.objects[key]; there && how == objects.New {
		return &objects.Error{URL: key, Kind: objects.ErrExists}
	}
	m.set(key, b)
	return nil
}

// Get implements objects.Store.
func (m *Memory) Get(_ context.Context, key string) (io.ReadCloser, error) {
	if err := m.ask("get", key); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	b, there := m.objects[key]
	if !there {
		return nil, &objects.Error{URL: key, Kind: objects.ErrNotFound}
	}
	if m.read == nil {
		m.read = make(map[string]int)
	}
	m.read[key]++
	return io.NopCloser(bytes.NewReader(b)), nil
}

// List implements objects.Store.
func (m *Memory) List(_ context.Context, prefix string, fn func(objects.Object) error) error {
	if err := m.ask("list", prefix); err != nil {
		return err
	}
	for _, key := range m.Keys() {
		if b, there := m.Content(key); there && strings.HasPrefix(key, prefix) {
			if err := fn(objects.Object{Key: key, Size: int64(len(b))}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Keys lists the names of all objects.
func (m *Memory) Keys() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	keys := make([]string, 0, len(m.objects))
	for key := range m.objects {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// Content returns an object, which must not be changed.
func (m *Memory) Content(key string) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, there := m.objects[key]
	return b, there
}

// Set makes or replaces an object.
func (m *Memory) Set(key string, content []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.set(key, content)
}

// Remove removes an object.
func (m *Memory) Remove(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.objects, key)
}

// Reads counts how often objects were opened.
func (m *Memory) Reads() (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range m.read {
		n += k
	}
	return n
}

func (m *Memory) set(key string, content []byte) {
	if m.objects == nil {
		m.objects = make(map[string][]byte)
	}
	m.objects[key] = content
}

var _ objects.Store = (*Memory)(nil)
