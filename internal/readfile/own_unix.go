//go:build unix

package readfile

import "syscall"

// ownFlags close the gap between Regular and the opening: they follow no link and wait for no pipe made meanwhile.
const ownFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
