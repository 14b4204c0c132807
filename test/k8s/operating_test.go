//go:build k8s

package k8s

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

var duckdb = flag.String("duckdb", "", "`folder` with DuckDB's package for node, as tools/duckdb-test installs it")

// A step is a command of docs/operating.md with what the page shows of its output, or a wait of its reader.
type step struct {
	command string
	shown   []string
	share   float64 // of the windows, that are there before the next command
}

var (
	pageBlock = regexp.MustCompile("(?ms)^```(sh|sql)\n(.*?)^```$|^<!-- at ([0-9]+) % -->$")
	figures   = regexp.MustCompile(`[0-9]+([.,][0-9]+)*`)
	blanks    = regexp.MustCompile(`[ \t]+`)
)

// steps reads the page.
func steps(t *testing.T, path string) (out []step, queries []string) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range pageBlock.FindAllStringSubmatch(string(page), -1) {
		switch {
		case m[3] != "":
			percent, err := strconv.Atoi(m[3])
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, step{share: float64(percent) / 100})
		case m[1] == "sql":
			queries = append(queries, m[2])
		default:
			for line := range strings.Lines(strings.ReplaceAll(m[2], "\\\n", "")) {
				line = strings.TrimRight(line, "\n")
				if command, ok := strings.CutPrefix(line, "$ "); ok {
					out = append(out, step{command: command})
				} else if len(out) > 0 && line != "" && line != "..." {
					last := &out[len(out)-1]
					last.shown = append(last.shown, line)
				}
			}
		}
	}
	return out, queries
}

// plain makes lines comparable: figures differ from run to run, and columns are as wide as they have to be.
func plain(line string) string {
	return strings.TrimSpace(blanks.ReplaceAllString(figures.ReplaceAllString(line, "#"), " "))
}

// operatingShell is what the page's commands find on this machine: pods share a network, a claim's folder outlives it,
// and the node to be mended is one with a worker, from which other tests' pods are not driven.
const operatingShell = `
coordinator() {
	case "$1 $2" in
	"k8s launch") command coordinator "$@" --connect pod --bind-pod ;;
	"k8s "*) command coordinator "$@" --connect pod ;;
	*) command coordinator "$@" ;;
	esac
}
kubectl() {
	if [ "$1" = drain ]; then
		command kubectl get pod week-worker-1 -o 'jsonpath={.spec.nodeName}' >"$HOME/node"
		set -- "$@" --pod-selector=app.kubernetes.io/instance=week
	fi
	local node=node-1
	if [ -e "$HOME/node" ]; then node=$(cat "$HOME/node"); fi
	command kubectl "${@/#node-1/$node}"
	if [ "$1 $2" = "delete pvc" ]; then
		# Its worker still writes: a folder that rm has emptied may not be empty any more.
		until rm -rf "$KUBE_TESTBED/pods/pvc/puzzles/$3" 2>/dev/null; do sleep 0.1; done
	fi
}
`

// TestOperating carries out docs/operating.md as it stands there: every command, in its order, on the cluster and
// beside an S3 server. What it shows of the answers must be among them, but for the figures.
func TestOperating(t *testing.T) {
	t.Parallel()
	onTestbed(t, "docs/operating.md")
	if *s3Server == "" {
		fmt.Println("!!! NOT RUN: TestOperating: there is no S3 server, which tools/k8s-test builds")
		t.Skip("no S3 server")
	}
	home := t.TempDir()
	url, bucket := storage(t, "runs", filepath.Join(home, ".aws", "credentials"))
	config, err := os.ReadFile(os.Getenv("KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(home, "kubeconfig") // the page chooses a namespace
	if err := os.WriteFile(own, config, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(home, "configs"), os.DirFS(filepath.Join(root, "configs"))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			report(t, "puzzles")
		}
		_, _, _ = run(t, time.Minute, "kubectl", "delete", "namespace", "puzzles", "--wait=false")
		_, _, _ = run(t, time.Minute, "kubectl", "-n", "puzzles", "delete", "pods", "--all", "--grace-period=0", "--force")
	})
	all, queries := steps(t, filepath.Join(root, "docs/operating.md"))
	var w *watcher
	for _, s := range all {
		if s.command == "" {
			if w == nil {
				w = watch(t, "puzzles", "week")
			}
			w.reaches(s.share)
			w.hangUp()
			continue
		}
		begun := time.Now()
		ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
		cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", operatingShell+s.command)
		cmd.Dir, cmd.WaitDelay = home, 5*time.Second
		cmd.Env = append(os.Environ(), "HOME="+home, "KUBECONFIG="+own, "AWS_ENDPOINT_URL="+url, "AWS_REGION=us-east-1",
			"PATH="+filepath.Dir(coordinator)+":"+os.Getenv("PATH"))
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		err := cmd.Run()
		stop()
		t.Logf("$ %s (%.1f s)\n%s", s.command, time.Since(begun).Seconds(), said.String())
		if err != nil {
			t.Fatalf("%s: %v", s.command, err)
		}
		var lines []string
		for line := range strings.Lines(said.String()) {
			lines = append(lines, plain(line))
		}
		for _, want := range s.shown {
			found := false
			pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(plain(want)), `\.\.\.`, ".*") + "$")
			for _, line := range lines {
				found = found || pattern.MatchString(line)
			}
			if !found {
				t.Errorf("%s does not say\n%s", s.command, want)
			}
		}
	}
	objects, err := filepath.Glob(filepath.Join(bucket, "archive", "*", "*", "*", "*"))
	if err != nil || len(objects) == 0 {
		t.Errorf("%d objects in the archive, %v", len(objects), err)
	}
	ask(t, home, queries)
}

// ask has DuckDB answer the page's queries.
func ask(t *testing.T, dir string, queries []string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(*duckdb, "node_modules")); *duckdb == "" || err != nil {
		fmt.Println("!!! NOT RUN: the queries of docs/operating.md: DuckDB is not there, which tools/duckdb-test installs")
		return
	}
	page := filepath.Join(dir, "queries.md")
	if err := os.WriteFile(page, []byte("```sql\n"+strings.Join(queries, "```\n```sql\n")+"```\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	queriesOf := filepath.Join(*duckdb, "queries.mjs")
	stdout, stderr, code := run(t, time.Minute, "node", queriesOf, page, coordinator, dir, dir) // the files are there
	if code != 0 {
		t.Errorf("DuckDB: exit code %d\n%s%s", code, stdout, stderr)
	}
}
