// Package blocks is the code of rows: the bytes of a block, and the digest of a window's content. It takes rows to
// bytes and back, compressed near their entropy, with a checksum; other packages keep and send the bytes. The same rows
// give the same bytes and the same digest on every machine.
//
// The package is pure: no store, no network, no clock.
package blocks

import "errors"

// FormatVersion is the version of a coded block, its first byte.
const FormatVersion = 1

// ErrCorrupt is wrapped when bytes differ from those written: a checksum that does not match, a block that does not
// decode.
var ErrCorrupt = errors.New("corrupt data")
