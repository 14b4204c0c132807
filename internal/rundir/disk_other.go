//go:build !(linux || darwin || freebsd)

package pipeline

// statfs does not know how to ask this system.
func statfs(string) (uint64, error) { return 0, nil }
