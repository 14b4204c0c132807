//go:build unix

package readfile

import "syscall"

// ownFlags close the gap between Regular and the opening: what has come meanwhile is not followed, nor waited for.
const ownFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
