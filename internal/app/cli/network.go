package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"pagoda/internal/fleet/keys"
	"pagoda/internal/fleet/natsqueue"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/run/address"
)

// A Network holds the flags about how a process of a fleet reaches the others and is reached.
type Network struct {
	NATS      string // URLs of NATS servers, separated by commas
	CertsDir  string
	Creds     string // file with NATS credentials of a foreign server
	Insecure  bool
	HTTP      string // host:port of the pages, "" for none
	PProf     string // host:port of the profiles, "" for none
	Transfer  string // host:port of the transfer server
	Advertise string // host:port, or host, at which others reach the transfer server; "" for where it listens
	Log       ops.LogStyle

	Keys *keys.Credentials // nil: none
	Key  string            // the public nkey of this process on NATS; "": none
}

// AddFlags adds the flags that both programs have.
func (n *Network) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&n.NATS, "nats", "", "`URL` of a NATS server, nats://HOST:PORT or tls://HOST:PORT; several with commas")
	f.StringVar(&n.CertsDir, "certs", "", "`folder` with the certificates of this process, see coordinator certs")
	f.StringVar(&n.Creds, "nats-creds", "", "`file` with credentials for a NATS server that is not of coordinator certs")
	f.BoolVar(&n.Insecure, "insecure", false, "allow addresses that other machines can reach without any credentials")
	f.StringVar(&n.HTTP, "http", "", "`address` HOST:PORT of /healthz, /readyz and /metrics")
	f.StringVar(&n.PProf, "pprof", "", "`address` HOST:PORT of /debug/pprof/, the profiles of this process")
	f.StringVar(&n.Transfer, "transfer", "127.0.0.1:0", "`address` HOST:PORT from which other workers fetch windows")
	f.StringVar(&n.Advertise, "advertise", "",
		"`address` HOST or HOST:PORT at which others reach --transfer, where that is another; one of IPv6 in brackets")
	AddLog(cmd, &n.Log)
	if err := cmd.MarkFlagDirname("certs"); err != nil {
		panic(err) // the flag is defined above
	}
}

// AddLog adds the flags for the log.
func AddLog(cmd *cobra.Command, log *ops.LogStyle) {
	f := cmd.Flags()
	f.StringVar(&log.Form, "log-format", "",
		"`form` of log lines on stderr: people, text or json; unless given, people on a terminal, otherwise text")
	f.StringVar(&log.Level, "log-level", ops.LogInfo,
		"`level` from which there are log lines: debug, info, warn or error")
	err := errors.Join(cmd.RegisterFlagCompletionFunc("log-format",
		cobra.FixedCompletions(ops.LogForms, cobra.ShellCompDirectiveNoFileComp)),
		cmd.RegisterFlagCompletionFunc("log-level",
			cobra.FixedCompletions(ops.LogLevels, cobra.ShellCompDirectiveNoFileComp)))
	if err != nil {
		panic(err) // the flags are defined above
	}
}

// CheckLog returns an error if the flags for the log are wrong.
func CheckLog(log ops.LogStyle) error {
	if err := log.CheckForm(); err != nil {
		return flagError("--log-format", err, "write --log-format json")
	}
	if err := log.CheckLevel(); err != nil {
		return flagError("--log-level", err, "write --log-level debug")
	}
	return nil
}

// LogStyle is a style for a log on f, whose form is chosen where the user has chosen none.
func LogStyle(style ops.LogStyle, f *os.File, environ []string) ops.LogStyle {
	if style.Form == "" && Terminal(f, environ) {
		style.Form = ops.LogPeople
	}
	return style
}

// A Server is a flag that says where this process listens, and its value; "" is nowhere.
type Server struct{ Flag, Address string }

// Check loads the credentials and returns an error if the flags are wrong. Nothing is opened yet. role is the
// program's; further servers are those that it has besides.
func (n *Network) Check(role keys.Role, further ...Server) error {
	if err := CheckLog(n.Log); err != nil {
		return err
	}
	if n.CertsDir != "" {
		k, err := keys.Load(n.CertsDir)
		if err != nil {
			return &UsageError{Err: err}
		}
		if k.Role != role {
			return flagError("--certs", fmt.Errorf("%s has the credentials of a %s", n.CertsDir, k.Role),
				fmt.Sprintf("give the folder %s that coordinator certs has made", role))
		}
		n.Keys, n.Key = k, k.Key
	}
	if n.Creds != "" {
		key, err := natsqueue.KeyOfCreds(n.Creds)
		if err != nil {
			return flagError("--nats-creds", err, "give the file that the NATS server's administrator has made")
		}
		n.Key = key
	}
	if n.NATS != "" {
		hosts, err := natsqueue.Hosts(n.NATS)
		if err != nil {
			return flagError("--nats", err, natsHint)
		}
		for _, host := range hosts {
			if n.Creds == "" {
				if err := keys.Check(host, n.Keys, n.Insecure); err != nil {
					return &UsageError{Err: err}
				}
			}
		}
	}
	transfer, pages, profiles := Server{"--transfer", n.Transfer}, Server{"--http", n.HTTP}, Server{"--pprof", n.PProf}
	for _, s := range append(further, transfer, pages, profiles) {
		if s.Address == "" {
			continue
		}
		if _, _, err := address.Listen(s.Address); err != nil {
			return flagError(s.Flag, err, Advice(err))
		}
		if s == pages {
			continue // these pages are public
		}
		if err := keys.Check(s.Address, n.Keys, n.Insecure); err != nil {
			return &UsageError{Err: err}
		}
	}
	if n.Advertise != "" {
		if _, err := address.Reached(n.Advertise, 1); err != nil {
			return flagError("--advertise", err, Advice(err))
		}
	} else if host, _, err := address.Listen(n.Transfer); err == nil && address.Unspecified(host) {
		return flagError("--transfer", fmt.Errorf("%s does not say where others find it", n.Transfer),
			"add --advertise with the name or address of this machine")
	}
	return nil
}

const natsHint = "write nats://HOST:4222, or tls://HOST:4222"

// CheckReach refuses a transfer server that its clients cannot reach: it is on a loopback address, while they find this
// process, or it finds them, at another one. further are the addresses of its own servers for them. A fleet on one
// machine says so with --advertise.
func (n *Network) CheckReach(further ...string) error {
	if _, _, err := address.Listen(n.Transfer); err != nil {
		return flagError("--transfer", err, Advice(err))
	}
	if n.Advertise != "" || !keys.Loopback(n.Transfer) {
		return nil
	}
	var hosts []string
	if n.NATS != "" {
		var err error
		if hosts, err = natsqueue.Hosts(n.NATS); err != nil {
			return flagError("--nats", err, natsHint)
		}
	}
	hosts = slices.DeleteFunc(hosts, func(at string) bool { // to connect to 0.0.0.0 is to stay on this machine
		host, _, err := address.Listen(at)
		return err == nil && address.Unspecified(host)
	})
	for _, at := range append(hosts, further...) {
		if at != "" && !keys.Loopback(at) {
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

// Advertised is the address at which others reach a transfer server that listens on another.
func (n *Network) Advertised(listening string) (string, error) {
	if n.Advertise == "" {
		return listening, nil
	}
	_, port, err := address.Listen(listening)
	if err != nil {
		return "", err
	}
	return address.Reached(n.Advertise, port)
}

// ServerTLS is the server's side of mutual TLS, nil without keys.
func (n *Network) ServerTLS() *tls.Config {
	if n.Keys == nil {
		return nil
	}
	return n.Keys.ServerTLS()
}

// Serve serves the pages of --http and the profiles of --pprof until end is called. ready is that of ops.Pages.
func (n *Network) Serve(
	ctx context.Context, log *slog.Logger, metrics prometheus.Gatherer, ready func() string,
) (end func() error, err error) {
	var servers []*ops.Server
	end = func() (err error) {
		for _, s := range servers {
			err = errors.Join(err, s.Close())
		}
		return err
	}
	for _, s := range []struct {
		what, address string
		keys          *tls.Config
		pages         http.Handler
	}{
		{"http", n.HTTP, nil, ops.Pages(metrics, ready)},
		{"pprof", n.PProf, n.ServerTLS(), ops.Profiles(ops.Guard{Keys: n.Keys, Listen: n.PProf})},
	} {
		if s.address == "" {
			continue
		}
		server, err := ops.Listen(ctx, s.address, s.keys, s.pages)
		if err != nil {
			return end, errors.Join(Hint(&UsageError{Err: err}, "give another --"+s.what+" address"), end())
		}
		servers = append(servers, server)
		Listening(log, s.what, server.Address())
	}
	return end, nil
}

// Listening logs where a server of the process listens.
func Listening(log *slog.Logger, what, address string) {
	log.Info("listening", "what", what, "address", address)
}
