package transfer

import (
	"fmt"
	"strings"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// A Kind says in one word what went wrong with a peer; errors are counted by it.
type Kind string

// The kinds. A peer's word about itself is final for the window. Wrong bytes are asked for a few times more, since a
// wire may change them. The other kinds are tried again for a while.
const (
	NotHeld     Kind = "not_held"     // it does not have the window
	OtherDigest Kind = "other_digest" // its content is another
	Damaged     Kind = "damaged"      // its copy is damaged
	Refused     Kind = "refused"      // it does not serve us at all
	Malformed   Kind = "malformed"    // it does not speak the protocol
	Corrupt     Kind = "corrupt"      // the bytes that arrived are not the window's
	Unreachable Kind = "unreachable"  // no connection
	Stalled     Kind = "stalled"      // no answer, or no next block, in time
	Broken      Kind = "broken"       // the connection broke
	Busy        Kind = "busy"         // too many streams are open there
	Failed      Kind = "failed"       // it cannot read on, or is stopping
)

// Kinds are all kinds of errors.
var Kinds = []Kind{
	NotHeld, OtherDigest, Damaged, Refused, Malformed, Corrupt, Unreachable, Stalled, Broken, Busy, Failed,
}

// final reports whether asking the same peer again is useless.
func (k Kind) final() bool {
	switch k {
	case NotHeld, OtherDigest, Damaged, Refused:
		return true
	}
	return false
}

// aboutContent reports whether the peer has, or sent, something that is not the window.
func (k Kind) aboutContent() bool {
	switch k {
	case OtherDigest, Damaged, Malformed, Corrupt:
		return true
	}
	return false
}

// A PeerError says why asking one holder failed.
type PeerError struct {
	Peer protocol.Peer
	Kind Kind
	Err  error // nil where Kind says it all
}

func (e *PeerError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("worker %s at %s: %s", e.Peer.Name, e.Peer.Address, strings.ReplaceAll(string(e.Kind), "_", " "))
	}
	return fmt.Sprintf("worker %s at %s: %s: %v", e.Peer.Name, e.Peer.Address,
		strings.ReplaceAll(string(e.Kind), "_", " "), e.Err)
}

func (e *PeerError) Unwrap() error { return e.Err }

// An Error says why no holder of a window could give it. It wraps kv.ErrCorrupt when one of them has or sent other
// content, else kv.ErrNotFound when one of them does not have the window, else protocol.ErrUnreachable.
type Error struct {
	Run    string
	Window puzzle.WindowID
	Peers  []*PeerError // none: there is no holder that could be asked
}

func (e *Error) Error() string {
	if len(e.Peers) == 0 {
		return fmt.Sprintf("run %s, window %s: no worker that holds it can be asked", e.Run, e.Window)
	}
	text := make([]string, len(e.Peers))
	for i, p := range e.Peers {
		text[i] = p.Error()
	}
	return fmt.Sprintf("run %s, window %s: %s", e.Run, e.Window, strings.Join(text, "; "))
}

// Unwrap returns the sentinel that the error wraps.
func (e *Error) Unwrap() error {
	err := protocol.ErrUnreachable
	for _, p := range e.Peers {
		if p.Kind.aboutContent() {
			return kv.ErrCorrupt
		}
		if p.Kind == NotHeld {
			err = kv.ErrNotFound
		}
	}
	return err
}
