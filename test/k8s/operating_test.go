//go:build k8s

package k8s

import (
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

// A step is a command of docs/operating.md with the lines of output that the page shows, or a wait of its reader.
type step struct {
	command string
	shown   []string
	share   float64 // of the windows, that are there before the next command
}

var (
	pageBlock = regexp.MustCompile("(?ms)^```(sh|sql)\n(.*?)^```$|^<!-- at ([0-9]+) % -->$")
	blanks    = regexp.MustCompile(`[ \t]+`)

	partyKeys = regexp.MustCompile(`~[a-z2-7]{12}\b`)

	// A figure comes with its unit, as that changes with it: 59s and 1m0s, 980 KiB and 1.02 MiB.
	figures = regexp.MustCompile(`([0-9]+([.,][0-9]+)*(ms|h|m|s))+\b|[0-9]+([.,][0-9]+)*( [KMGT]?i?B\b)?`)

	// Commands that only ask are repeated until the answer is there: a pod that runs may take seconds to be ready.
	onlyAsks = regexp.MustCompile(`^(coordinator k8s list|coordinator k8s status [a-z]+|kubectl (get|logs) .*)$`)
	runEnded = regexp.MustCompile(`(?m)^state +(complete|failed)`) // then nothing that is missing will come
)

// operatingPage returns docs/operating.md without its chapter about autoscaling, and that chapter.
func operatingPage(t *testing.T) (week, autoscaling string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs/operating.md"))
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), "\n## Autoscaling\n")
	chapter, after, more := strings.Cut(rest, "\n## ")
	if !found || !more {
		t.Fatal("docs/operating.md has no chapter Autoscaling before another one")
	}
	return before + "\n## " + after, chapter
}

// pageHome makes the home of a page's reader: configs, a kubeconfig of its own, and the programs on PATH. A namespace
// that is not "" is the current one.
func pageHome(t *testing.T, ns string) (home string, env []string) {
	t.Helper()
	home = t.TempDir()
	config, err := os.ReadFile(os.Getenv("KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(home, "kubeconfig")
	if err := os.WriteFile(own, config, 0o600); err != nil {
		t.Fatal(err)
	}
	if ns != "" {
		kubectl(t, "--kubeconfig", own, "config", "set-context", "--current", "--namespace="+ns)
	}
	if err := os.CopyFS(filepath.Join(home, "configs"), os.DirFS(filepath.Join(root, "configs"))); err != nil {
		t.Fatal(err)
	}
	return home, append(os.Environ(), "HOME="+home, "KUBECONFIG="+own,
		"PATH="+filepath.Dir(coordinator)+":"+os.Getenv("PATH"))
}

// steps reads a page.
func steps(t *testing.T, page string) (out []step, queries []string) {
	t.Helper()
	for _, m := range pageBlock.FindAllStringSubmatch(page, -1) {
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

// plain makes lines comparable: keys and figures differ from run to run, and columns are as wide as they have to be.
func plain(line string) string {
	line = partyKeys.ReplaceAllString(line, "~KEY")
	return strings.TrimSpace(blanks.ReplaceAllString(figures.ReplaceAllString(line, "#"), " "))
}

// TestPlain: a figure that becomes larger takes another unit, and the line still says the same.
func TestPlain(t *testing.T) {
	for _, same := range [][]string{
		{"left         17s to 1m4s", "left 14s to 52s", "left  1h2m to 3h", "left 1.5s to 2m"},
		{"memory  at most 934 MiB at concurrency 2", "memory at most 1.02 GiB at concurrency 16"},
		{
			"week-worker-0~oucqpnxrocbd  active  1/1   1796  506 KiB   18:47:26",
			"week-worker-0~r5kno4d5vp3a active 0/1 0 0 B 08:00:01",
		},
	} {
		for _, line := range same[1:] {
			if plain(line) != plain(same[0]) {
				t.Errorf("%q is %q, %q is %q", line, plain(line), same[0], plain(same[0]))
			}
		}
	}
	for _, other := range [][2]string{
		{"left 17s to 1m4s", "left unknown"}, {"state running", "state complete"}, {"w-0 Running yes 0", "w-0 Running no 0"},
	} {
		if plain(other[0]) == plain(other[1]) {
			t.Errorf("%q is taken for %q", other[1], other[0])
		}
	}
}

// missing lists the lines of the page that an answer does not have.
func (s *step) missing(said string) (lines []string) {
	for _, want := range s.shown {
		pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(plain(want)), `\.\.\.`, ".*") + "$")
		found := false
		for line := range strings.Lines(said) {
			found = found || pattern.MatchString(plain(line))
		}
		if !found {
			lines = append(lines, want)
		}
	}
	return lines
}

// askedFor is how long a command that only asks is asked again: a probe of a pod comes every five seconds.
const askedFor = 15 * time.Second

// inShell carries out a command of the page.
func inShell(t *testing.T, command, home string, env []string) (said string, err error) {
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", operatingShell+command)
	cmd.Dir, cmd.Env, cmd.WaitDelay = home, env, 5*time.Second
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// operatingShell adapts the page's commands to this machine. Pods share a network here, and a claim's folder outlives
// the claim. The node to be mended is the one of week-worker-1, and its drain spares the pods of other tests.
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
// beside an S3 server. Each answer must have the lines that the page shows, but for the figures.
func TestOperating(t *testing.T) {
	t.Parallel()
	onTestbed(t, "docs/operating.md")
	if *s3Server == "" {
		fmt.Println("!!! NOT RUN: TestOperating: there is no S3 server, which tools/k8s-test builds")
		t.Skip("no S3 server")
	}
	home, env := pageHome(t, "") // the page chooses a namespace
	url, bucket := storage(t, "runs", filepath.Join(home, ".aws", "credentials"))
	// The complaints are repeated at the end, after the long report about the namespace.
	var complaints []string
	complain := func(format string, args ...any) {
		t.Helper()
		complaints = append(complaints, fmt.Sprintf(format, args...))
		t.Error(complaints[len(complaints)-1])
	}
	t.Cleanup(func() {
		if t.Failed() {
			report(t, "puzzles")
			t.Log("what was wrong:\n" + strings.Join(complaints, "\n"))
		}
		_, _, _ = run(t, time.Minute, "kubectl", "delete", "namespace", "puzzles", "--wait=false")
		_, _, _ = run(t, time.Minute, "kubectl", "-n", "puzzles", "delete", "pods", "--all", "--grace-period=0", "--force")
	})
	env = append(env, "AWS_ENDPOINT_URL="+url, "AWS_REGION=us-east-1")
	week, _ := operatingPage(t)
	all, queries := steps(t, week)
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
		missing := func() (lines []string, over bool, err error) {
			begun := time.Now()
			said, err := inShell(t, s.command, home, env)
			t.Logf("$ %s (%.1f s)\n%s", s.command, time.Since(begun).Seconds(), said)
			return s.missing(said), runEnded.MatchString(said), err
		}
		lines, over, err := missing()
		for end := time.Now().Add(askedFor); onlyAsks.MatchString(s.command) && (err != nil || len(lines) > 0) &&
			!over && time.Now().Before(end); {
			time.Sleep(500 * time.Millisecond)
			lines, over, err = missing()
		}
		for _, line := range lines {
			complain("%s does not say\n%s", s.command, line)
		}
		if err != nil {
			complain("%s: %v", s.command, err)
			t.FailNow()
		}
	}
	objects, err := filepath.Glob(filepath.Join(bucket, "archive", "*", "*", "*", "*"))
	if err != nil || len(objects) == 0 {
		complain("%d objects in the archive, %v", len(objects), err)
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
