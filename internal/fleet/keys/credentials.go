package keys

import (
	"crypto/tls"
	"crypto/x509"
	"time"

	"github.com/nats-io/nkeys"
)

// Credentials are one process's part of a fleet's keys. Safe for concurrent use.
type Credentials struct {
	Dir      string
	Identity           // of the certificate
	Expires  time.Time // the end of the certificate's validity
	// Users are the NATS users of the fleet, for the roles that serve NATS: coordinators and servers.
	Users []Identity

	cert tls.Certificate
	pool *x509.CertPool
	user nkeys.KeyPair // nil for servers
}

// ServerTLS is for listening: it demands a certificate of the fleet from every client. See PeerOf.
func (k *Credentials) ServerTLS() *tls.Config {
	return &tls.Config{
		Certificates: []tls.Certificate{k.cert},
		ClientCAs:    k.pool,
		ClientAuth:   tls.RequireAndVerifyClientCert,
		MinVersion:   tls.VersionTLS13,
	}
}

// ClientTLS is for connecting to one of the fixed names, at whatever address.
func (k *Credentials) ClientTLS(name string) *tls.Config {
	return &tls.Config{
		Certificates: []tls.Certificate{k.cert},
		RootCAs:      k.pool,
		ServerName:   name,
		MinVersion:   tls.VersionTLS13,
	}
}

// Sign proves to a NATS server that the process has the seed.
func (k *Credentials) Sign(nonce []byte) ([]byte, error) {
	if k.user == nil {
		return nil, &FileError{File: k.Dir, Problem: "credentials of a server, which no client can use"}
	}
	return k.user.Sign(nonce)
}
