//go:build !linux

package export

// exchange gives the folder in a scratch the name path, and puts the folder there, if there is one, in the scratch.
func exchange(s *scratch, path string) error { return moveAside(s, path) }
