package cli

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pagoda/internal/certs"
	"pagoda/internal/ops"
)

// A Network says how a process of a fleet reaches the others and is reached, as its flags do.
type Network struct {
	NATS      string // URLs of NATS servers, separated by commas
	CertsDir  string
	Creds     string // file with NATS credentials of a foreign server
	Insecure  bool
	HTTP      string // host:port of the pages, "" for none
	Transfer  string // host:port of the transfer server
	Advertise string // host:port, or host, at which others reach the transfer server; "" for where it listens
	Log       ops.LogStyle

	Keys *certs.Credentials // nil: none
}

// AddFlags adds the flags that both programs have.
func (n *Network) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&n.NATS, "nats", "", "`URL` of a NATS server, nats://HOST:PORT or tls://HOST:PORT; several with commas")
	f.StringVar(&n.CertsDir, "certs", "", "`folder` with the certificates of this process, see coordinator certs")
	f.StringVar(&n.Creds, "nats-creds", "", "`file` with credentials for a NATS server that is not of coordinator certs")
	f.BoolVar(&n.Insecure, "insecure", false, "allow addresses that other machines can reach without any credentials")
	f.StringVar(&n.HTTP, "http", "", "`address` HOST:PORT of /healthz, /readyz and /metrics")
	f.StringVar(&n.Transfer, "transfer", "127.0.0.1:0", "`address` HOST:PORT from which other workers fetch windows")
	f.StringVar(&n.Advertise, "advertise", "",
		"`address` HOST or HOST:PORT at which others reach --transfer, where that is another")
	f.StringVar(&n.Log.Form, "log-format", ops.LogText, "`form` of log lines on stderr: text or json")
	f.StringVar(&n.Log.Level, "log-level", ops.LogInfo,
		"`level` from which there are log lines: debug, info, warn or error")
	err := errors.Join(cmd.MarkFlagDirname("certs"), cmd.RegisterFlagCompletionFunc("log-format",
		cobra.FixedCompletions([]cobra.Completion{ops.LogText, ops.LogJSON}, cobra.ShellCompDirectiveNoFileComp)),
		cmd.RegisterFlagCompletionFunc("log-level",
			cobra.FixedCompletions(ops.LogLevels, cobra.ShellCompDirectiveNoFileComp)))
	if err != nil {
		panic(err) // the flags are defined above
	}
}

// Check loads the credentials and says what is wrong with the flags. Nothing is opened yet. role is the program's;
// further addresses are those that it listens on besides.
func (n *Network) Check(role certs.Role, further ...string) error {
	if err := n.Log.CheckForm(); err != nil {
		return flagError("--log-format", err, "write --log-format json")
	}
	if err := n.Log.CheckLevel(); err != nil {
		return flagError("--log-level", err, "write --log-level debug")
	}
	if n.CertsDir != "" {
		k, err := certs.Load(n.CertsDir)
		if err != nil {
			return &UsageError{Err: err}
		}
		if k.Role != role {
			return flagError("--certs", fmt.Errorf("%s has the credentials of a %s", n.CertsDir, k.Role),
				fmt.Sprintf("give the folder %s that coordinator certs has made", role))
		}
		n.Keys = k
	}
	if n.Creds != "" {
		if _, err := os.Stat(n.Creds); err != nil {
			return flagError("--nats-creds", err, "give the file that the NATS server's administrator has made")
		}
	}
	if n.NATS != "" {
		hosts, err := natsHosts(n.NATS)
		if err != nil {
			return flagError("--nats", err, "write nats://HOST:4222, or tls://HOST:4222")
		}
		for _, host := range hosts {
			if n.Creds == "" {
				if err := certs.Check(host, n.Keys, n.Insecure); err != nil {
					return &UsageError{Err: err}
				}
			}
		}
	}
	for _, address := range append(further, n.Transfer) {
		if address == "" {
			continue
		}
		if err := checkAddress(address); err != nil {
			return &UsageError{Err: err}
		}
		if err := certs.Check(address, n.Keys, n.Insecure); err != nil {
			return &UsageError{Err: err}
		}
	}
	if n.HTTP != "" {
		// Anybody may see these pages.
		if err := checkAddress(n.HTTP); err != nil {
			return &UsageError{Err: err}
		}
	}
	if host, _, err := net.SplitHostPort(n.Transfer); err == nil && n.Advertise == "" && unspecified(host) {
		return flagError("--transfer", fmt.Errorf("%s does not say where others find it", n.Transfer),
			"add --advertise with the name or address of this machine")
	}
	return nil
}

// CheckReach refuses a transfer server that those who are to use it cannot reach: on a loopback address, where others
// find this process, or it finds them, at another one. further are the addresses of its own servers for them. Whoever
// has everybody on one machine says so with --advertise.
func (n *Network) CheckReach(further ...string) error {
	if n.Advertise != "" || !certs.Loopback(n.Transfer) {
		return nil
	}
	hosts, err := natsHosts(n.NATS)
	if n.NATS == "" {
		hosts, err = nil, nil
	}
	if err != nil {
		return flagError("--nats", err, "write nats://HOST:4222, or tls://HOST:4222")
	}
	hosts = slices.DeleteFunc(hosts, func(address string) bool { // to connect to 0.0.0.0 is to stay on this machine
		host, _, err := net.SplitHostPort(address)
		return err == nil && unspecified(host)
	})
	for _, address := range append(hosts, further...) {
		if address != "" && !certs.Loopback(address) {
			return flagError("--transfer", fmt.Errorf("workers on other machines cannot reach %s", n.Transfer),
				"add --transfer 0.0.0.0:7070 --advertise NAME with the name or address of this machine, or --advertise "+
					"127.0.0.1 when all processes are on it")
		}
	}
	return nil
}

func flagError(flag string, err error, hint string) error {
	return Hint(&UsageError{Err: fmt.Errorf("%s: %w", flag, err)}, hint)
}

// natsHosts takes the addresses from URLs of NATS servers.
func natsHosts(urls string) ([]string, error) {
	var hosts []string
	for _, text := range strings.Split(urls, ",") {
		u, err := url.Parse(text)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%.100q is no URL", text)
		case u.Scheme != "nats" && u.Scheme != "tls" || u.Host == "":
			return nil, fmt.Errorf("%.100q is not of the form nats://HOST:PORT", text)
		case u.User != nil:
			// It would stand in the list of processes.
			return nil, errors.New("a user or password in a URL can be seen by everybody on this machine")
		}
		hosts = append(hosts, u.Host)
	}
	return hosts, nil
}

func checkAddress(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil || port == "" {
		return Hint(fmt.Errorf("%.100q is no address", address), "write HOST:PORT, such as 127.0.0.1:8080")
	}
	return nil
}

// unspecified reports whether a host to listen on means every interface.
func unspecified(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}

// Advertised is the address at which others reach a transfer server that listens on address.
func (n *Network) Advertised(address string) (string, error) {
	if n.Advertise == "" {
		return address, nil
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", err
	}
	if host, given, err := net.SplitHostPort(n.Advertise); err == nil {
		if given != "" && given != "0" {
			port = given
		}
		return net.JoinHostPort(host, port), nil
	}
	return net.JoinHostPort(n.Advertise, port), nil
}

// ServerTLS is the server's side of mutual TLS, nil without keys.
func (n *Network) ServerTLS() *tls.Config {
	if n.Keys == nil {
		return nil
	}
	return n.Keys.ServerTLS()
}

// Listening logs where a server of the process listens.
func Listening(log *slog.Logger, what, address string) {
	log.Info("listening", "what", what, "address", address)
}
