//go:build !linux

package export

// exchange gives the folder in a scratch its name, and puts the folder there, if there is one, in the scratch.
func exchange(s *scratch) error { return moveAside(s) }
