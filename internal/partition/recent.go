package partition

// recent keeps the latest values by their keys, in two generations of about limit bytes each.
type recent[K comparable, T any] struct {
	young, old map[K]T
	bytes      int // of the younger
}

// of returns the value of a key, and makes it where it is not kept. bytes says how much memory a value takes.
func (r *recent[K, T]) of(key K, limit int, made func() T, bytes func(T) int) T {
	if x, ok := r.young[key]; ok {
		return x
	}
	x, ok := r.old[key]
	if !ok {
		x = made()
	}
	if r.young == nil || r.bytes > limit {
		r.young, r.old, r.bytes = map[K]T{}, r.young, 0
	}
	r.young[key] = x
	r.bytes += bytes(x)
	return x
}
