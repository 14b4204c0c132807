package keys

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nats-io/nkeys"
)

// Names of the files.
const (
	caFile    = "ca.pem"
	caKeyFile = "ca.key"
	certFile  = "tls.crt"
	keyFile   = "tls.key"
	seedFile  = "user.nkey"
	usersFile = "users"
)

// maxFile bounds the bytes read of a file: certificates and private keys have a few kilobytes.
const maxFile = 1 << 20

// A FileError describes a problem with a file of keys.
type FileError struct {
	File    string
	Problem string
	Hint    string // what to do, if it is not obvious
	Err     error  // the cause, may be nil
}

func (e *FileError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("certs: %s: %s: %v", e.File, e.Problem, e.Err)
	}
	return fmt.Sprintf("certs: %s: %s", e.File, e.Problem)
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// Advice returns what to do, in one line.
func (e *FileError) Advice() string { return e.Hint }

// Load reads and checks one folder of credentials, such as DIR/worker. It returns a FileError for files that are
// missing, expired, or do not belong together, and for secrets that other users can read.
func Load(dir string) (*Credentials, error) { return load(dir, time.Now()) }

func load(dir string, now time.Time) (*Credentials, error) {
	if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
		return nil, &FileError{
			File:    dir,
			Problem: "is no folder of credentials",
			Hint:    "coordinator certs makes one for each role",
			Err:     cause(err),
		}
	}
	k := &Credentials{Dir: dir, pool: x509.NewCertPool()}
	ca, err := read(dir, caFile, false)
	if err != nil {
		return nil, err
	}
	if !k.pool.AppendCertsFromPEM(ca) {
		return nil, &FileError{File: filepath.Join(dir, caFile), Problem: "has no certificate in PEM form"}
	}
	if err := k.loadCert(now); err != nil {
		return nil, err
	}
	if k.Role != Server {
		if err := k.loadSeed(); err != nil {
			return nil, err
		}
	}
	if k.Role != Worker {
		if err := k.loadUsers(); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// loadCert reads the certificate and its key.
func (k *Credentials) loadCert(now time.Time) error {
	path := filepath.Join(k.Dir, certFile)
	cert, err := read(k.Dir, certFile, false)
	if err != nil {
		return err
	}
	key, err := read(k.Dir, keyFile, true)
	if err != nil {
		return err
	}
	if k.cert, err = tls.X509KeyPair(cert, key); err != nil {
		return &FileError{File: path, Problem: "is no certificate for " + keyFile, Err: err}
	}
	leaf := k.cert.Leaf
	renew := "coordinator certs DIR --renew makes new certificates; hand them out again"
	switch {
	case now.After(leaf.NotAfter):
		return &FileError{File: path, Problem: "expired on " + leaf.NotAfter.UTC().Format(time.RFC3339), Hint: renew}
	case now.Before(leaf.NotBefore):
		return &FileError{
			File: path, Problem: "is valid only from " + leaf.NotBefore.UTC().Format(time.RFC3339),
			Hint: "is the clock of this machine right?",
		}
	}
	_, err = leaf.Verify(x509.VerifyOptions{
		Roots: k.pool, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
	})
	if err != nil {
		return &FileError{File: path, Problem: "is not signed by " + caFile, Err: err}
	}
	if k.Identity, err = identity(leaf); err != nil {
		return &FileError{File: path, Problem: "is not of this program's making", Err: err}
	}
	k.Expires = leaf.NotAfter
	return nil
}

// loadSeed reads the seed of the NATS user, whose key the certificate has.
func (k *Credentials) loadSeed() (err error) {
	var key string
	if k.user, key, err = readSeed(k.Dir); err != nil {
		return err
	}
	if key != k.Key {
		return &FileError{File: filepath.Join(k.Dir, certFile), Problem: "does not have the key of " + seedFile,
			Hint: "coordinator certs DIR --renew makes certificates that do; hand them out again"}
	}
	return nil
}

// readSeed returns the NATS user in a folder, and its public nkey.
func readSeed(dir string) (pair nkeys.KeyPair, key string, err error) {
	path := filepath.Join(dir, seedFile)
	seed, err := read(dir, seedFile, true)
	if err != nil {
		return nil, "", err
	}
	if pair, err = nkeys.FromSeed(bytes.TrimSpace(seed)); err != nil {
		return nil, "", &FileError{File: path, Problem: "is no nkey seed", Err: err}
	}
	if key, err = pair.PublicKey(); err != nil || !nkeys.IsValidPublicUserKey(key) {
		return nil, "", &FileError{File: path, Problem: "is not the seed of a user"}
	}
	return pair, key, nil
}

func (k *Credentials) loadUsers() error {
	path := filepath.Join(k.Dir, usersFile)
	text, err := read(k.Dir, usersFile, false)
	if err != nil {
		return err
	}
	if k.Users, err = parseUsers(string(text)); err != nil {
		return &FileError{File: path, Problem: "is no list of users", Err: err}
	}
	if k.user == nil {
		return nil
	}
	if slices.Contains(k.Users, k.Identity) {
		return nil
	}
	return &FileError{File: path, Problem: "does not have the user of " + seedFile}
}

// read reads a file. A secret file must not be readable by all users, nor writable by any user but its owner. Symbolic
// links are followed: Kubernetes mounts secrets as such.
func read(dir, name string, secret bool) ([]byte, error) {
	path := filepath.Join(dir, name)
	f, err := os.Open(path)
	if err != nil {
		return nil, &FileError{File: path, Problem: "cannot be read", Err: cause(err)}
	}
	defer func() { _ = f.Close() }()
	fi, err := f.Stat()
	switch {
	case err != nil:
		return nil, &FileError{File: path, Problem: "cannot be read", Err: cause(err)}
	case !fi.Mode().IsRegular():
		return nil, &FileError{File: path, Problem: "is not a file"}
	case secret && fi.Mode().Perm()&0o027 != 0:
		return nil, &FileError{
			File: path, Problem: fmt.Sprintf("can be read or written by too many (mode %04o)", fi.Mode().Perm()),
			Hint: "chmod 600 " + path,
		}
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, &FileError{File: path, Problem: "cannot be read", Err: cause(err)}
	case len(b) > maxFile:
		return nil, &FileError{File: path, Problem: fmt.Sprintf("has more than %d bytes", maxFile)}
	}
	return b, nil
}

// cause returns an error without its path, which the message has already.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
