//go:build k8s

package k8s

import (
	"flag"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

var s3Server = flag.String("s3", "", "versitygw `program`, an S3 server; without it nothing is archived")

// storage starts an S3 server with a bucket, where pods reach it that are processes of this machine, and returns its
// URL and the folder of the bucket. Its keys are in the file credentials.
func storage(t *testing.T, bucket, credentials string) (url, folder string) {
	t.Helper()
	dir := t.TempDir()
	folder = filepath.Join(dir, "buckets", bucket)
	for _, d := range []string{folder, filepath.Join(dir, "meta"), filepath.Dir(credentials)} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const id, secret = "operator", "a-secret-of-the-test"
	text := "[default]\naws_access_key_id = " + id + "\naws_secret_access_key = " + secret + "\n"
	if err := os.WriteFile(credentials, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close() // no other program of this network takes it
	cmd := exec.Command(*s3Server, "--port", address, "--access", id, "--secret", secret, "--quiet",
		"posix", "--sidecar", filepath.Join(dir, "meta"), filepath.Dir(folder))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
			return "http://" + address, folder
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}
