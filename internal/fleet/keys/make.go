package keys

import (
	"cmp"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"github.com/nats-io/nkeys"
)

const (
	authorityDir = "ca"
	// defaultValid is the default lifetime of certificates.
	defaultValid = 365 * 24 * time.Hour
	secretMode   = 0o600
	publicMode   = 0o644
)

const label = `[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?`

var (
	// hostForm is a DNS name; the first label may be a wildcard.
	hostForm = regexp.MustCompile(`^(\*\.)?` + label + `(\.` + label + `)*$`)
	// folderForm is the form of the name of a folder of credentials.
	folderForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)
	})
)

// MakeOptions describe credentials to be made. The zero value is usable.
type MakeOptions struct {
	// Hosts are names and addresses of NATS servers and coordinators, added to their certificates for other programs,
	// which compare them with the address that they connect to. Pagoda's own programs do not need them.
	Hosts []string
	Run   string        // binds the worker's credentials to one run; "" lets them work for any
	Valid time.Duration // how long the certificates last; 0 says a year
}

// Make makes the credentials of a new fleet in dir, which must not exist or be empty. Either all of them are there in
// the end or none.
func Make(dir string, o MakeOptions) error { return makeAt(dir, o, time.Now()) }

func makeAt(dir string, o MakeOptions, now time.Time) (err error) {
	if o.Run != "" && !ValidRun(o.Run) {
		return fmt.Errorf("certs: %.70q is no run ID", o.Run)
	}
	hosts, err := hostNames(o.Hosts)
	if err != nil {
		return err
	}
	dir = filepath.Clean(dir)
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return &FileError{
			File: dir, Problem: "exists and is not empty",
			Hint: "--renew makes new certificates for the credentials in it, --worker adds credentials for another run",
		}
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return &FileError{File: dir, Problem: "cannot be used", Err: cause(err)}
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fmt.Errorf("certs: %w", err)
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".certs-")
	if err != nil {
		return fmt.Errorf("certs: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(tmp))
		}
	}()
	a, caKey, err := newAuthority(now)
	if err != nil {
		return err
	}
	if err := writeAll(filepath.Join(tmp, authorityDir), map[string][]byte{caFile: a.pem, caKeyFile: caKey}); err != nil {
		return err
	}
	valid := cmp.Or(o.Valid, defaultValid)
	var users []Identity
	for _, id := range []Identity{{Role: Server}, {Role: Coordinator}, {Role: Worker, Run: o.Run}} {
		h := hosts
		if id.Role == Worker {
			h = names{}
		}
		user, err := a.issue(filepath.Join(tmp, string(id.Role)), id, h, now, valid)
		if err != nil {
			return err
		}
		if user.Key != "" {
			users = append(users, user)
		}
	}
	if err := writeUsers(tmp, users); err != nil {
		return err
	}
	if err := os.Rename(tmp, dir); err != nil {
		return &FileError{File: dir, Problem: "cannot be made", Err: err}
	}
	return nil
}

// AddWorker makes credentials for other workers of a fleet, in dir/name, bound to a run unless run is "". Servers and
// coordinators know them when they have the new file of users.
func AddWorker(dir, name, run string, valid time.Duration) error {
	switch {
	case !folderForm().MatchString(name) || name == authorityDir:
		return fmt.Errorf("certs: %.140q cannot name a folder of credentials", name)
	case run != "" && !ValidRun(run):
		return fmt.Errorf("certs: %.70q is no run ID", run)
	}
	a, err := loadAuthority(dir)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, string(Coordinator))
	text, err := read(path, usersFile, false)
	if err != nil {
		return err
	}
	users, err := parseUsers(string(text))
	if err != nil {
		return &FileError{File: filepath.Join(path, usersFile), Problem: "is no list of users", Err: err}
	}
	to := filepath.Join(dir, name)
	if err := os.Mkdir(to, 0o700); err != nil {
		return &FileError{File: to, Problem: "cannot be made", Err: cause(err)}
	}
	user, err := a.issue(to, Identity{Role: Worker, Run: run}, names{}, time.Now(), cmp.Or(valid, defaultValid))
	if err != nil {
		return err
	}
	return writeUsers(dir, append(users, user))
}

// Renew makes new certificates for all credentials of a fleet. Users, names, roles and runs stay.
func Renew(dir string, valid time.Duration) error { return renewAt(dir, valid, time.Now()) }

func renewAt(dir string, valid time.Duration, now time.Time) error {
	a, err := loadAuthority(dir)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return &FileError{File: dir, Problem: "cannot be read", Err: cause(err)}
	}
	for _, e := range entries {
		to := filepath.Join(dir, e.Name())
		if e.Name() == authorityDir || !e.IsDir() {
			continue
		}
		old, err := read(to, certFile, false)
		if err != nil {
			return err
		}
		wrong := &FileError{File: filepath.Join(to, certFile), Problem: "is not of this program's making"}
		block, _ := pem.Decode(old)
		if block == nil {
			return wrong
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return wrong
		}
		id, err := identity(c)
		if err != nil || len(c.DNSNames) < len(id.Role.names()) {
			return wrong
		}
		if id.Role != Server {
			if _, id.Key, err = readSeed(to); err != nil {
				return err
			}
		}
		n := names{c.DNSNames[len(id.Role.names()):], c.IPAddresses}
		if err := a.certify(to, id, n, now, cmp.Or(valid, defaultValid)); err != nil {
			return err
		}
	}
	return nil
}

// issue makes a folder of credentials, with a new key unless it is a server's, and returns their identity.
func (a *authority) issue(to string, id Identity, n names, now time.Time, valid time.Duration) (Identity, error) {
	files := map[string][]byte{caFile: a.pem}
	if id.Role != Server {
		pair, err := nkeys.CreateUser()
		if err != nil {
			return id, fmt.Errorf("certs: nkey of %s: %w", id.Role, err)
		}
		seed, err := pair.Seed()
		if err != nil {
			return id, fmt.Errorf("certs: nkey of %s: %w", id.Role, err)
		}
		if id.Key, err = pair.PublicKey(); err != nil {
			return id, fmt.Errorf("certs: nkey of %s: %w", id.Role, err)
		}
		files[seedFile] = append(seed, '\n')
	}
	if err := writeAll(to, files); err != nil {
		return id, err
	}
	return id, a.certify(to, id, n, now, valid)
}

func (a *authority) certify(to string, id Identity, n names, now time.Time, valid time.Duration) error {
	cert, key, err := a.sign(id, n, now, valid)
	if err != nil {
		return err
	}
	return writeAll(to, map[string][]byte{certFile: cert, keyFile: key})
}

// writeUsers writes the list of users for the roles that serve NATS.
func writeUsers(dir string, users []Identity) error {
	for _, r := range []Role{Coordinator, Server} {
		err := writeAll(filepath.Join(dir, string(r)), map[string][]byte{usersFile: formatUsers(users)})
		if err != nil {
			return err
		}
	}
	return nil
}

// writeAll writes files into a folder, each of them whole or not at all.
func writeAll(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("certs: %w", err)
	}
	for name, data := range files {
		mode := os.FileMode(secretMode)
		if name == caFile || name == certFile || name == usersFile {
			mode = publicMode
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path+".new", data, mode); err != nil {
			return fmt.Errorf("certs: %w", err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			return fmt.Errorf("certs: %w", err)
		}
	}
	return nil
}
