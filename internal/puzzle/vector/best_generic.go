//go:build !amd64 || purego

package vector

// Best is the highest level of this machine and build.
func Best(bool) Level { return None }
