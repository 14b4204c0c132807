package keys

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base32"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/nats-io/nkeys"
)

// A Role is the part that a holder of credentials has in a fleet.
type Role string

// The roles, which are also the names of their folders.
const (
	Coordinator Role = "coordinator"
	Worker      Role = "worker"
	Server      Role = "server"
)

// The names in certificates that the connecting side compares, whatever address it connects to.
const (
	NATSName        = "nats.pagoda"        // NATS servers, coordinators with an embedded one included
	PeerName        = "peer.pagoda"        // servers of windows: workers, and coordinators that compute
	CoordinatorName = "coordinator.pagoda" // the coordinator's HTTP interface
)

// names returns the fixed names of a role.
func (r Role) names() []string {
	switch r {
	case Coordinator:
		return []string{CoordinatorName, NATSName, PeerName}
	case Worker:
		return []string{PeerName}
	case Server:
		return []string{NATSName}
	}
	return nil
}

// An Identity says who the holder of credentials is.
type Identity struct {
	Role Role
	Key  string // the public nkey of its NATS user; "" for a server
	Run  string // the one run that the credentials are good for; "" is any
}

// MayUse reports whether the holder may have anything to do with a run.
func (id Identity) MayUse(run string) bool { return id.Run == "" || id.Run == run }

// ValidRun reports whether a text may be a run ID. Its form keeps a run from reaching into other subjects, paths and
// lines.
func ValidRun(run string) bool { return runForm().MatchString(run) }

var runForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)
})

// fingerprintBytes are the bytes of a fingerprint, and fingerprintChars its characters.
const fingerprintBytes, fingerprintChars = 8, 12

// Fingerprint is the short name of a public nkey: 12 small letters and digits, 60 bits of its SHA-256. parseUsers
// refuses two keys of one fingerprint. "" has none.
func Fingerprint(key string) string {
	if key == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(key))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:fingerprintBytes]))[:fingerprintChars]
}

const urnPrefix = "urn:pagoda:"

func (id Identity) uri() *url.URL {
	opaque := "pagoda:" + string(id.Role)
	for _, part := range []string{id.Key, id.Run} {
		if part != "" {
			opaque += ":" + part
		}
	}
	return &url.URL{Scheme: "urn", Opaque: opaque}
}

// identity reads what uri wrote. Certificates of versions before this one have no key.
func identity(c *x509.Certificate) (Identity, error) {
	for _, u := range c.URIs {
		rest, ok := strings.CutPrefix(u.String(), urnPrefix)
		if !ok {
			continue
		}
		parts := strings.Split(rest, ":")
		id := Identity{Role: Role(parts[0])}
		if parts = parts[1:]; len(parts) > 0 && nkeys.IsValidPublicUserKey(parts[0]) {
			id.Key, parts = parts[0], parts[1:]
		}
		if len(parts) > 0 && ValidRun(parts[0]) {
			id.Run, parts = parts[0], parts[1:]
		}
		if id.Role.names() == nil || len(parts) > 0 {
			return Identity{}, fmt.Errorf("certificate with an unknown identity %.100q", u)
		}
		return id, nil
	}
	return Identity{}, errors.New("certificate without a pagoda identity")
}

// PeerOf returns the identity of the other end of a connection made with ServerTLS or ClientTLS.
func PeerOf(s *tls.ConnectionState) (Identity, error) {
	if s == nil || len(s.VerifiedChains) == 0 {
		return Identity{}, errors.New("the other end has shown no certificate")
	}
	return identity(s.VerifiedChains[0][0])
}
