package browser

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// policies is the folder from which Debian's Chromium reads its policies.
const policies = "/etc/chromium/policies/managed"

// TestTLS opens the page over TLS with the certificate of a coordinator, which it needs, and plays a jump: the page, its
// stream of events and its answers come over that. Without a certificate the browser gets nothing.
//
// Chromium takes certificates from a database in the home folder alone, and chooses one by itself by policy alone.
func TestTLS(t *testing.T) {
	for _, tool := range []string{"certutil", "pk12util", "openssl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("NOT RUN: there is no %s (Debian: libnss3-tools, openssl)", tool)
		}
	}
	if strings.Contains(os.Getenv("CHROMIUM"), "headless-shell") {
		t.Skip("NOT RUN: chromium-headless-shell reads no policies")
	}
	policy := filepath.Join(policies, "pagoda-test.json")
	err := os.MkdirAll(policies, 0o755)
	if err == nil {
		err = os.WriteFile(policy, []byte(`{"AutoSelectCertificateForUrls":["{\"pattern\":\"https://localhost\",\"filter\":{}}"]}`), 0o644)
	}
	if err != nil {
		t.Skipf("NOT RUN: Chromium's policy cannot be set: %v", err)
	}
	t.Cleanup(func() { _ = os.Remove(policy) })

	dir := t.TempDir()
	coordinator(t, "certs", dir+"/keys", "--host", "localhost")
	keys := dir + "/keys/coordinator/"
	home := dir + "/home"
	db := "sql:" + home + "/.pki/nssdb"
	run := func(name string, args ...string) {
		t.Helper()
		if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
	}
	if err := os.MkdirAll(home+"/.pki/nssdb", 0o700); err != nil {
		t.Fatal(err)
	}
	run("certutil", "-N", "-d", db, "--empty-password")
	run("certutil", "-A", "-d", db, "-n", "fleet", "-t", "C,,", "-i", keys+"ca.pem")
	address := serve(t, "--certs", keys)
	address = "https://localhost:" + address[strings.LastIndex(address, ":")+1:]

	// Without a certificate the browser does not get through the handshake.
	p := openIn(t, newBrowser(t, home), 1000, 800, "about:blank")
	p.quiet = []string{"net::ERR_", "ERR_BAD_SSL_CLIENT_AUTH_CERT"}
	if err := chromedp.Do(p.ctx, chromedp.Navigate(address)); err == nil || !strings.Contains(err.Error(), "net::ERR_") {
		t.Errorf("without a certificate: %v", err)
	}

	run("openssl", "pkcs12", "-export", "-in", keys+"tls.crt", "-inkey", keys+"tls.key", "-out", dir+"/me.p12",
		"-passout", "pass:", "-name", "me")
	run("pk12util", "-i", dir+"/me.p12", "-d", db, "-W", "", "-K", "")
	p = openIn(t, newBrowser(t, home), 1000, 800, address)
	p.do(chromedp.WaitVisible(chromedp.CSS(".jumps")))
	n := p.text(`document.querySelectorAll(".game li").length`)
	p.do(chromedp.Click(chromedp.CSS(".jumps tbody tr:first-child button")))
	p.until(`document.querySelectorAll(".game li").length > ` + n)
	if said := p.text(`location.protocol + " " + document.body.classList.contains("reader") + document.body.classList.contains("away")`); said != "https: falsefalse" {
		t.Errorf("the page is %s", said)
	}
	p.shot("played")
}

// newBrowser starts a browser of its own, with a home folder.
func newBrowser(t *testing.T, home string) context.Context {
	t.Helper()
	ctx, cancel := startBrowser(t, chromedp.Env("HOME="+home))
	t.Cleanup(cancel)
	return ctx
}
