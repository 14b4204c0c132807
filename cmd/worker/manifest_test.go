package main

import (
	"io/fs"
	"net"
	"regexp"
	"strings"
	"testing"

	"pagoda/internal/app/cli"
	"pagoda/internal/run/address"

	manifests "pagoda/deploy/k8s"
)

// TestManifestAddresses fills the flags of the manifest's worker in as Kubernetes does, on pods of IPv4 and of IPv6.
func TestManifestAddresses(t *testing.T) {
	text, err := fs.ReadFile(manifests.Files, "base/worker.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, pod := range []string{"10.244.160.19", "fd00:10:244::5:8444"} {
		for _, listen := range []string{"", "[" + pod + "]"} { // every address, and the one of BindPod in coordinator k8s
			fill := strings.NewReplacer("$(POD_IP)", pod, "$(LISTEN)", listen)
			flag := func(name string) string {
				m := regexp.MustCompile(`(?m)^ +- --` + name + `=(\S+)`).FindSubmatch(text)
				if m == nil {
					t.Fatalf("the manifest has no --%s", name)
				}
				return fill.Replace(string(m[1]))
			}
			n := cli.Network{Transfer: flag("transfer"), Advertise: flag("advertise"), Insecure: true}
			if _, port, err := address.Listen(n.Transfer); err != nil || port != 8444 {
				t.Errorf("--transfer %s: port %d, %v", n.Transfer, port, err)
			}
			if _, _, err := address.Listen(flag("http")); err != nil {
				t.Error(err)
			}
			got, err := n.Advertised(n.Transfer)
			if want := net.JoinHostPort(pod, "8444"); err != nil || got != want {
				t.Errorf("--advertise %s is %q, want %q (%v)", n.Advertise, got, want, err)
			}
		}
	}
}
