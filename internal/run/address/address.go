// Package address reads the addresses of processes as people, manifests and other processes write them: HOST:PORT, and
// HOST alone. HOST is a name or an IP address. Brackets stand around an IPv6 address, whose colons could not be told
// from the one before the port. They may stand around an IPv4 address, so that a manifest needs not know the kind.
package address

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// An Error explains why a text is no address.
type Error struct{ Address, Problem, Hint string }

func (e *Error) Error() string { return fmt.Sprintf("%.100q is no address: %s", e.Address, e.Problem) }

// Advice returns what to do, in one line.
func (e *Error) Advice() string { return e.Hint }

// Listen reads where a server listens, HOST:PORT. No host is every address of the machine, and port 0 a free port.
func Listen(text string) (host string, port uint16, err error) {
	const hint = "write HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080"
	host, after, given, err := split(text)
	if err != nil {
		return "", 0, err
	}
	if !given || after == "" {
		return "", 0, &Error{text, "it has no port", hint}
	}
	n, err := strconv.ParseUint(after, 10, 16)
	if err != nil {
		return "", 0, &Error{text, fmt.Sprintf("%.20q is not a port from 0 to 65535", after), hint}
	}
	return host, uint16(n), nil
}

// Dial reads where others find a server, HOST:PORT.
func Dial(text string) (host string, port uint16, err error) {
	const hint = "write HOST:PORT with the name or address of the machine, such as node7:8080 or [fd00::1]:8080"
	if host, port, err = Listen(text); err != nil {
		return "", 0, err
	}
	switch {
	case host == "":
		err = &Error{text, "it has no host", hint}
	case Unspecified(host):
		err = &Error{text, "it stands for every address of a machine, and for no machine", hint}
	case port == 0:
		err = &Error{text, "port 0 is no port of a server", hint}
	}
	return host, port, err
}

// Reached reads where others find a server, HOST or HOST:PORT. Without a port it is the one given.
func Reached(text string, port uint16) (string, error) {
	host, after, given, err := split(text)
	if err != nil {
		return "", err
	}
	if !given {
		after = strconv.Itoa(int(port))
	}
	whole := net.JoinHostPort(host, after)
	_, _, err = Dial(whole)
	var wrong *Error
	if errors.As(err, &wrong) {
		wrong.Address = text
	}
	return whole, err
}

// InURL returns an error when a URL has a bad host or port. The port may be left out.
func InURL(u *url.URL) error {
	host, after, given, err := split(u.Host)
	if err != nil {
		return err
	}
	if host == "" {
		return &Error{u.Host, "it has no host", "write the name or address of a machine"}
	}
	if n, err := strconv.ParseUint(after, 10, 16); given && (err != nil || n == 0) {
		return &Error{u.Host, fmt.Sprintf("%.20q is not a port from 1 to 65535", after), "write the port of the server"}
	}
	return nil
}

// Unspecified reports whether a host to listen on means every address of the machine.
func Unspecified(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "" || err == nil && ip.Unmap().IsUnspecified()
}

// split takes HOST and PORT apart, and checks HOST where there is one.
func split(text string) (host, port string, given bool, err error) {
	if rest, ok := strings.CutPrefix(text, "["); ok {
		host, rest, ok = strings.Cut(rest, "]")
		port, given = strings.CutPrefix(rest, ":")
		if _, err := netip.ParseAddr(host); err != nil || !ok || !given && rest != "" {
			return "", "", false, &Error{text, "in brackets there is an IP address, and after them a colon and the port",
				"write for example [fd00::1]:8080"}
		}
	} else if host, port, given = strings.Cut(text, ":"); strings.Contains(port, ":") {
		return "", "", false, twoReadings(text)
	}
	if host != "" && !validHost(host) {
		return "", "", false, &Error{text, fmt.Sprintf("%.80q is neither a host name nor an IP address", host),
			"write the name or address of a machine, such as node7, 10.0.0.2 or [fd00::1]"}
	}
	return host, port, given, nil
}

// twoReadings refuses colons outside brackets, and hints at the possible readings.
func twoReadings(text string) error {
	e := &Error{text, "it has colons, and no brackets around an IPv6 address", "write for example [fd00::1]:8080"}
	if _, err := netip.ParseAddr(text); err == nil {
		e.Hint = "write [" + text + "], or with a port [" + text + "]:PORT"
	}
	last := strings.LastIndexByte(text, ':')
	if _, err := netip.ParseAddr(text[:last]); err == nil && len(text) > last+1 {
		e.Hint += ", or [" + text[:last] + "]" + text[last:] + " if that is the port"
	}
	return e
}

// validHost takes DNS names, underscores included, and IP addresses. A name whose last part is a number would be an
// address of IPv4 with a mistake in it.
func validHost(host string) bool {
	for _, c := range host {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.ContainsRune(".-_:%", c):
		default:
			return false
		}
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	for _, l := range labels {
		if l == "" || strings.ContainsAny(l, ":%") {
			return false
		}
	}
	const longest = 256 // no DNS name is longer
	return len(host) <= longest && strings.Trim(labels[len(labels)-1], "0123456789") != ""
}
