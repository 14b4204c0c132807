//go:build !unix

package kv

import "io"

// sharedLock has no locks that readers could share.
func sharedLock(string) (io.Closer, error) { return nothing{}, nil }
