//go:build k8s

package k8s

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pagoda/internal/fleet/keys"
	cluster "pagoda/internal/k8s"
	"pagoda/internal/run/status"
)

// A watcher asks the coordinator of a run how far it is, as often as it likes.
type watcher struct {
	t       *testing.T
	kubectl *cluster.Kubectl
	name    string
	keys    *keys.Credentials

	client *http.Client
	tunnel *cluster.Tunnel
}

func watch(t *testing.T, ns, name string) *watcher {
	t.Helper()
	w := &watcher{t: t, kubectl: &cluster.Kubectl{Namespace: ns}, name: name}
	dir := filepath.Join(t.TempDir(), "coordinator")
	w.until(time.Minute, "keys of the run", func() (bool, error) {
		return true, w.kubectl.TakeKeys(t.Context(), name, "coordinator", dir)
	})
	var err error
	if w.keys, err = keys.Load(dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.hangUp)
	return w
}

func (w *watcher) hangUp() {
	if w.tunnel != nil {
		w.client.CloseIdleConnections()
		w.tunnel.Close()
		w.tunnel = nil
	}
}

// until calls fn until it says yes; errors are tried again.
func (w *watcher) until(limit time.Duration, what string, fn func() (bool, error)) {
	w.t.Helper()
	var last error
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		yes, err := fn()
		if yes && err == nil {
			return
		}
		if err != nil {
			last = err
		}
	}
	w.t.Fatalf("%s: waited %v for %s; last error: %v", w.name, limit, what, last)
}

// status asks once.
func (w *watcher) status() (s status.Status, err error) {
	ctx, stop := context.WithTimeout(w.t.Context(), 5*time.Second)
	defer stop()
	defer func() {
		if err != nil {
			w.hangUp()
		}
	}()
	if w.tunnel == nil {
		pod, err := w.kubectl.CoordinatorPod(ctx, w.name)
		if err != nil {
			return s, err
		}
		if w.tunnel, err = w.kubectl.Connect(w.t.Context(), pod, cluster.APIPort, *via); err != nil {
			return s, err
		}
		w.client = &http.Client{Transport: &http.Transport{TLSClientConfig: w.keys.ClientTLS(keys.CoordinatorName)}}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+w.tunnel.Address+"/v1/status", nil)
	if err != nil {
		return s, err
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return s, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return s, errors.New(resp.Status)
	}
	return s, json.NewDecoder(resp.Body).Decode(&s)
}

// stalled is how long a run may go without a further window. A bound on the whole would fail on a machine that is slow.
const stalled = 3 * time.Minute

// advances asks until the status is enough. It fails when the run does not advance.
func (w *watcher) advances(what string, enough func(status.Status) bool) status.Status {
	w.t.Helper()
	var last status.Status
	var problem error
	for since := time.Now(); time.Since(since) < stalled; time.Sleep(100 * time.Millisecond) {
		s, err := w.status()
		switch {
		case err != nil:
			problem = err
		case enough(s):
			return s
		case s.Done != last.Done || s.State != last.State:
			last, since = s, time.Now()
		}
	}
	w.t.Fatalf("%s: waited for %s; for %v the run is %s at %d of %d windows, %d are ready; last error: %v", w.name, what,
		stalled, last.State, last.Done, last.Windows, last.Ready, problem)
	return last
}

func ended(s status.Status) bool {
	return s.State == status.StateComplete || s.State == status.StateFailed
}

// reaches waits until that share of the windows is committed. It fails when the run has ended by then, because the test
// goes on with a step for mid-run.
func (w *watcher) reaches(share float64) status.Status {
	w.t.Helper()
	s := w.advances(fmt.Sprintf("%.0f %% of the windows", 100*share), func(s status.Status) bool {
		return ended(s) || s.Windows > 0 && float64(s.Done) >= share*float64(s.Windows)
	})
	if ended(s) {
		w.t.Fatalf("%s: the run is %s at %d of %d windows (%s), before the test could break anything", w.name, s.State,
			s.Done, s.Windows, s.Error)
	}
	w.t.Logf("%s: %d of %d windows", w.name, s.Done, s.Windows)
	return s
}

// ends waits until the run has ended.
func (w *watcher) ends() status.Status {
	w.t.Helper()
	return w.advances("its end", ended)
}

// A launch is a coordinator k8s launch or resume that goes on beside the test.
type launch struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdout strings.Builder
	stderr strings.Builder
	begun  time.Time
}

func begin(t *testing.T, ns string, args ...string) *launch {
	t.Helper()
	l := &launch{t: t, begun: time.Now()}
	ctx, stop := context.WithTimeout(context.Background(), 15*time.Minute)
	t.Cleanup(stop)
	l.cmd = exec.CommandContext(ctx, coordinator, append([]string{"k8s", "-n", ns, "--connect", *via}, args...)...)
	l.cmd.Stdout, l.cmd.Stderr = &l.stdout, &l.stderr
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return l
}

// succeeds waits for its end, which must say that the run is complete, and print what run prints on one machine.
func (l *launch) succeeds(p problem) {
	l.t.Helper()
	err := l.cmd.Wait()
	if err != nil || !strings.Contains(l.stderr.String(), "msg=complete") {
		l.t.Fatalf("launch: %v\n%s%s", err, l.stdout.String(), l.stderr.String())
	}
	want, err := os.ReadFile(filepath.Join(reference(l.t, p), resultsFile))
	if err != nil {
		l.t.Fatal(err)
	}
	if got := l.stdout.String(); got != string(want) {
		l.t.Errorf("the results are not those of one machine:\n%s\nwant\n%s", got, want)
	}
	l.t.Logf("complete %.1f s after it was launched", time.Since(l.begun).Seconds())
}
