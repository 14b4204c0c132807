package keys

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"path/filepath"
	"time"
)

const (
	// authorityTime is how long a fleet's own authority lasts: longer than any fleet will renew certificates.
	authorityTime = 20 * 365 * 24 * time.Hour
	// skew is how much clocks may differ between the machines of a fleet.
	skew = time.Hour
)

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	pem  []byte // of cert
	key  *ecdsa.PrivateKey
}

// newAuthority makes an authority, whose private key is returned as PEM.
func newAuthority(now time.Time) (a *authority, keyPEM []byte, err error) {
	key, keyPEM, err := newKey()
	if err != nil {
		return nil, nil, err
	}
	t := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "pagoda fleet"},
		NotBefore:             now.Add(-skew),
		NotAfter:              now.Add(authorityTime),
		IsCA:                  true,
		BasicConstraintsValid: true,
		MaxPathLenZero:        true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	if t.SerialNumber, err = serial(); err != nil {
		return nil, nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, key.Public(), key)
	if err != nil {
		return nil, nil, fmt.Errorf("certs: authority: %w", err)
	}
	cert, err := x509.ParseCertificate(der)
	return &authority{cert, encode("CERTIFICATE", der), key}, keyPEM, err
}

// loadAuthority reads the authority of a fleet's folder.
func loadAuthority(dir string) (*authority, error) {
	dir = filepath.Join(dir, authorityDir)
	certPEM, err := read(dir, caFile, false)
	if err != nil {
		return nil, err
	}
	keyPEM, err := read(dir, caKeyFile, true)
	if err != nil {
		return nil, err
	}
	wrong := func(file string) error {
		return &FileError{File: filepath.Join(dir, file), Problem: "is not what coordinator certs wrote"}
	}
	block, _ := pem.Decode(certPEM)
	if block == nil {
		return nil, wrong(caFile)
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, wrong(caFile)
	}
	if block, _ = pem.Decode(keyPEM); block == nil {
		return nil, wrong(caKeyFile)
	}
	any8, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, wrong(caKeyFile)
	}
	key, ok := any8.(*ecdsa.PrivateKey)
	if !ok || !key.PublicKey.Equal(cert.PublicKey) {
		return nil, wrong(caKeyFile)
	}
	return &authority{cert, certPEM, key}, nil
}

// names are a certificate's names besides the fixed ones of its role.
type names struct {
	dns []string
	ips []net.IP
}

func hostNames(hosts []string) (n names, err error) {
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			n.ips = append(n.ips, ip)
		} else if hostForm.MatchString(h) {
			n.dns = append(n.dns, h)
		} else {
			return n, fmt.Errorf("certs: %.100q is neither a host name nor an address", h)
		}
	}
	return n, nil
}

// sign makes a certificate and its private key. Both sides of a connection use the same one: workers serve and fetch
// windows, and the servers of a NATS cluster connect to each other.
func (a *authority) sign(id Identity, n names, now time.Time, valid time.Duration) (certPEM, keyPEM []byte, err error) {
	key, keyPEM, err := newKey()
	if err != nil {
		return nil, nil, err
	}
	t := &x509.Certificate{
		Subject:     pkix.Name{CommonName: "pagoda " + string(id.Role)},
		NotBefore:   now.Add(-skew),
		NotAfter:    now.Add(valid),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		DNSNames:    append(id.Role.names(), n.dns...),
		IPAddresses: n.ips,
		URIs:        []*url.URL{id.uri()},
	}
	if t.SerialNumber, err = serial(); err != nil {
		return nil, nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, t, a.cert, key.Public(), a.key)
	if err != nil {
		return nil, nil, fmt.Errorf("certs: certificate of %s: %w", id.Role, err)
	}
	return encode("CERTIFICATE", der), keyPEM, nil
}

func newKey() (*ecdsa.PrivateKey, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("certs: private key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, fmt.Errorf("certs: private key: %w", err)
	}
	return key, encode("PRIVATE KEY", der), nil
}

func serial() (*big.Int, error) { return rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127)) }

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
