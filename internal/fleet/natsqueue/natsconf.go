package natsqueue

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pagoda/internal/fleet/keys"
)

// ConfigFile is the name of the file that WriteConfig writes.
const ConfigFile = "nats.conf"

// WriteConfig writes the fleet's TLS and users for a NATS server of its own, into the server's folder of the keys in
// dir. It is a whole configuration (nats-server -js -c nats.conf) and can also be included in one. at is the folder in
// which the server will find its keys; "" is their present folder.
func WriteConfig(dir, at string) error {
	folder := filepath.Join(dir, string(keys.Server))
	k, err := keys.Load(folder)
	if err != nil {
		return err
	}
	if at == "" {
		if at, err = filepath.Abs(folder); err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
	}
	path := filepath.Join(folder, ConfigFile)
	if err := os.WriteFile(path+".new", []byte(natsConfig(k.Users, at)), 0o644); err != nil {
		return fmt.Errorf("NATS configuration: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("NATS configuration: %w", err)
	}
	return nil
}

// natsConfig writes the settings of ServerOptions.server in the language of nats-server.
func natsConfig(users []keys.Identity, at string) string {
	var b strings.Builder
	b.WriteString("# Written by coordinator certs: who may connect, and what for.\n")
	fmt.Fprintf(&b, `tls {
  cert_file: %q
  key_file: %q
  ca_file: %q
  verify: true
  # Not a byte before the client's certificate is known to be the fleet's.
  handshake_first: true
  min_version: "1.3"
  timeout: %g
}
ping_interval: %q
ping_max: %d
max_connections: %d
max_subscriptions: %d
max_pending: %d
authorization {
  users: [
`, filepath.Join(at, "tls.crt"), filepath.Join(at, "tls.key"), filepath.Join(at, "ca.pem"), tlsTime.Seconds(),
		pingEvery, maxPings, maxConnections, maxSubscriptions, maxPending)
	for _, u := range users {
		p := permissions(u, "")
		fmt.Fprintf(&b, "    # %s %s", u.Role, keys.Fingerprint(u.Key))
		if u.Run != "" {
			fmt.Fprintf(&b, " of run %s", u.Run)
		}
		fmt.Fprintf(&b, `
    {nkey: %s, permissions: {
      publish: {allow: [%s]}
      subscribe: {allow: [%s]}
    }}
`, u.Key, quoted(p.Publish.Allow), quoted(p.Subscribe.Allow))
	}
	b.WriteString("  ]\n}\n")
	return b.String()
}

func quoted(subjects []string) string {
	q := make([]string, len(subjects))
	for i, s := range subjects {
		q[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(q, ", ")
}
