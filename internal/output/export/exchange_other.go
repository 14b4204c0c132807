//go:build !linux

package export

// exchange gives the folder at tmp the name path, and the folder there, if there is one, the name tmp.
func exchange(tmp, path string) error { return moveAside(tmp, path) }
