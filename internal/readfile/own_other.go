//go:build !unix

package readfile

// ownFlags has no flag of this system for what Regular has found out before.
const ownFlags = 0
