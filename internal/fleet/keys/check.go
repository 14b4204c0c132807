package keys

import (
	"fmt"
	"net"
	"net/netip"
)

// An ExposedError says that other machines can reach an address, and that nothing would keep them out.
type ExposedError struct{ Address string }

func (e *ExposedError) Error() string {
	return fmt.Sprintf(
		"%s can be reached from other machines, and there are no credentials to keep strangers out",
		e.Address,
	)
}

// Advice returns what to do, in one line.
func (e *ExposedError) Advice() string {
	return "make credentials with coordinator certs and name them with --certs, use a loopback address, or say --insecure"
}

// Check refuses, with an ExposedError, to listen on or connect to an address that is not loopback without credentials,
// unless the user has said that this is meant. It is the one rule for NATS, transfer and HTTP. The address is HOST:PORT
// or HOST; an empty host is every interface, and a name counts as loopback only when it is localhost: the address of
// another name may change.
func Check(address string, k *Credentials, insecure bool) error {
	if k != nil || insecure || Loopback(address) {
		return nil
	}
	return &ExposedError{address}
}

// Loopback reports whether only this machine can reach an address, as in Check.
func Loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
