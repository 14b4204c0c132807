package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"

	"pagoda/internal/k8s"
)

// TestFiles fails when the files are not what `make chart` would write.
func TestFiles(t *testing.T) {
	files, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what `make chart` writes (%v):\n%s", name, err, cmp.Diff(string(got), string(want)))
		}
	}
	there, err := filepath.Glob(filepath.Join(root, chartFolder, "templates", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range there {
		if files[chartFolder+"/templates/"+filepath.Base(path)] == nil {
			t.Errorf("%s is not of `make chart`", path)
		}
	}
}

// same compares objects by kind and name.
func same(t *testing.T, fromHelm, fromKustomize []object) {
	t.Helper()
	index := func(list []object) map[string]any {
		t.Helper()
		m := make(map[string]any)
		for _, o := range list {
			if m[o.id()] != nil {
				t.Errorf("%s is there twice", o.id())
			}
			b, err := json.Marshal(o) // all numbers to one type
			if err != nil {
				t.Fatal(err)
			}
			var v any
			if err := json.Unmarshal(b, &v); err != nil {
				t.Fatal(err)
			}
			m[o.id()] = v
		}
		return m
	}
	if d := cmp.Diff(index(fromKustomize), index(fromHelm)); d != "" {
		t.Errorf("kustomize (-) and Helm (+) differ:\n%s", d)
	}
}

// TestOverlays compares every overlay, with and without the other components, with the values of its name.
func TestOverlays(t *testing.T) {
	c := loadChart(t)
	overlays, err := os.ReadDir(filepath.Join(root, "deploy/k8s/overlays"))
	if err != nil || len(overlays) < 3 {
		t.Fatalf("overlays %v, %v", overlays, err)
	}
	more := map[string]map[string]any{
		"monitoring": {"monitoring": map[string]any{"enabled": true}},
		"kueue":      {"kueue": map[string]any{"enabled": true}},
		"s3":         {"s3Secret": "pagoda-s3-keys"},
		// The overlay's own concurrency is that of the component.
		"autoscaling": {"autoscale": map[string]any{"enabled": true}},
	}
	for _, overlay := range overlays {
		text, err := os.ReadFile(filepath.Join(root, chartFolder, "ci", overlay.Name()+"-values.yaml"))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, components := range [][]string{nil, {"monitoring"}, {"kueue"}, {"s3"}, {"monitoring", "kueue", "s3"},
			{"autoscaling", "monitoring"}} {
			if overlay.Name() == "job" && slices.Contains(components, "autoscaling") {
				continue
			}
			t.Run(strings.Join(append([]string{overlay.Name()}, components...), "+"), func(t *testing.T) {
				values := readValues(t, text)
				for _, name := range components {
					maps.Copy(values, more[name])
				}
				fromHelm, err := helm(c, "pagoda", values)
				if err != nil {
					t.Fatal(err)
				}
				fromKustomize, err := kustomize(overlayWith(t, overlay.Name(), components))
				if err != nil {
					t.Fatal(err)
				}
				same(t, fromHelm, fromKustomize)
			})
		}
	}
}

// overlayWith is the folder of an overlay to which components are added.
func overlayWith(t *testing.T, overlay string, components []string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "deploy/k8s"))); err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "overlays", overlay)
	if err := edit(filepath.Join(dir, "kustomization.yaml"), func(k map[string]any) {
		all, _ := k["components"].([]any)
		for _, name := range components {
			all = append(all, "../../components/"+name)
		}
		k["components"] = all
	}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestRuns compares what `coordinator k8s launch` would apply, with options at random, with the chart.
func TestRuns(t *testing.T) {
	c := loadChart(t)
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range 30 {
		one := randomRun(r)
		fromKustomize, err := one.build()
		if err != nil {
			t.Fatalf("seed %d, run %d: %v", seed, i, err)
		}
		fromHelm, err := helm(c, "other-release", valuesOf(t, &one))
		if err != nil {
			t.Fatalf("seed %d, run %d: %v", seed, i, err)
		}
		if same(t, fromHelm, fromKustomize); t.Failed() {
			t.Fatalf("seed %d, run %d: %+v", seed, i, one)
		}
	}
}

// TestEarlierValues: values of a chart that had no grace and no log level give workers today's defaults.
func TestEarlierValues(t *testing.T) {
	for _, job := range []bool{false, true} {
		one := plain()
		one.Name, one.Run, one.Config, one.AccessMode = "a", "0123456789ab", []byte("puzzle: peg\n"), "ReadWriteOnce"
		one.Grace, one.LogLevel = 0, ""
		if one.Job = job; job {
			one.Keep = time.Minute
		}
		values := valuesOf(t, &one)
		values["worker"].(map[string]any)["graceSeconds"] = nil
		values["logLevel"] = nil
		values["batch"] = nil
		fromKustomize, err := one.build()
		if err != nil {
			t.Fatal(err)
		}
		fromHelm, err := helm(loadChart(t), "other-release", values)
		if err != nil {
			t.Fatal(err)
		}
		same(t, fromHelm, fromKustomize)
	}
}

func randomRun(r *rand.Rand) run {
	size := func() uint64 { return (1 + r.Uint64N(5000)) << (20 + 10*r.IntN(2)) }
	maybe := func(s string) string { return []string{"", s}[r.IntN(2)] }
	nats := []string{"", "nats", "r.example/nats"}[r.IntN(3)]
	digest := "@sha256:" + strings.Repeat("0f", 32)
	one := run{Overlay: k8s.Overlay{
		Name: []string{"a", "true", "english-0123456789ab", "e1"}[r.IntN(4)], Run: "0123456789ab", Puzzle: "peg",
		Config:  []byte("puzzle: peg\nname: \"{{ x }} $(A) \\\\ é\"\n" + maybe("\n# end\n")),
		Image:   "registry.example:5000/a/pagoda" + maybe(":1.2") + maybe(digest),
		NATS:    r.IntN(2) == 0,
		Workers: r.IntN(10001), Concurrency: 1 + r.IntN(1024),
		Grace:        time.Duration(r.IntN(3600)) * time.Second,
		LogLevel:     []string{"", "debug", "warn"}[r.IntN(3)],
		WorkerMemory: size(), WorkerStorage: size(), CoordinatorMemory: size(), CoordinatorStorage: size(),
		StorageClass: maybe("fast.ssd"), AccessMode: []string{"ReadWriteOnce", "ReadWriteOncePod"}[r.IntN(2)],
		BindPod: r.IntN(2) == 0, PriorityClass: maybe("low"), QueueName: maybe("q.1"), S3Secret: maybe("s3.keys"),
	}, Monitoring: maybe("prometheus")}
	if nats != "" {
		one.NATSImage = nats + maybe(":2") + maybe(digest)
	}
	if r.IntN(2) == 0 {
		one.MinWorkers = 1 + r.IntN(100)
		one.MaxWorkers = one.MinWorkers + r.IntN(9000)
		one.Workers = one.MinWorkers + r.IntN(one.MaxWorkers-one.MinWorkers+1)
	}
	if r.IntN(2) == 0 {
		one.MinWorkers, one.MaxWorkers = 0, 0
		one.NATS, one.Job, one.Workers = false, true, 1+r.IntN(10000)
		one.Keep, one.TTL = time.Duration(1+r.IntN(1e6))*time.Second, time.Duration(r.IntN(1e6))*time.Second
	}
	if r.IntN(3) == 0 {
		one.MinWorkers, one.MaxWorkers, one.NATS, one.Job = 0, 0, false, false
		one.Batch, one.Config = []string{"a.yaml", "vacancies.x.yaml"}[r.IntN(2)], nil
		one.Files = map[string]string{one.Batch: "base: true\n" + maybe("\n# {{ é }}\n"), "true": "\n puzzle: peg"}
	}
	if r.IntN(2) == 0 {
		one.MonitorLabels = map[string]string{"release": "true", "b": ""}
	}
	return one
}

// valuesOf are the chart's values for a run: those that `coordinator k8s render --values` writes, and those that it
// knows nothing of.
func valuesOf(t *testing.T, r *run) map[string]any {
	t.Helper()
	text, err := r.Values()
	if err != nil {
		t.Fatal(err)
	}
	values := readValues(t, text)
	if r.Monitoring != "" {
		labels := make(map[string]any)
		for k, v := range r.MonitorLabels {
			labels[k] = v
		}
		values["monitoring"] = map[string]any{"enabled": true, "namespace": r.Monitoring, "labels": labels}
	}
	return values
}

// TestSelectors looks for the run's name in all that selects pods or Services: a run has to do with its own alone.
func TestSelectors(t *testing.T) {
	for _, values := range []map[string]any{
		{"nats": map[string]any{"enabled": true}, "monitoring": map[string]any{"enabled": true}},
		{"job": map[string]any{"enabled": true}, "monitoring": map[string]any{"enabled": true}},
	} {
		objects, err := helm(loadChart(t), "mine", values)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		var look func(id string, v any)
		look = func(id string, v any) {
			switch v := v.(type) {
			case map[string]any:
				for key, below := range v {
					labels, _ := below.(map[string]any)
					switch {
					case key == "namespaceSelector":
					case key == "matchLabels", key == "selector" && labels["matchLabels"] == nil:
						found++
						if labels["app.kubernetes.io/instance"] != "mine" {
							t.Errorf("%s: %s is %v", id, key, below)
						}
					default:
						look(id, below)
					}
				}
			case []any:
				for _, below := range v {
					look(id, below)
				}
			}
		}
		for _, o := range objects {
			look(o.id(), map[string]any(o))
		}
		if found < 10 {
			t.Errorf("only %d selectors were found", found)
		}
	}
}

// TestRefused gives the chart values that are wrong.
func TestRefused(t *testing.T) {
	c := loadChart(t)
	if _, err := helm(c, "pagoda", nil); err != nil {
		t.Fatalf("the defaults: %v", err)
	}
	for values, want := range map[string]string{
		`{workers: 3}`:                                        "additional properties 'workers' not allowed",
		`{worker: {replica: 3}}`:                              "additional properties 'replica' not allowed",
		`{worker: {replicas: -1}}`:                            "/worker/replicas",
		`{worker: {replicas: 2.5}}`:                           "/worker/replicas",
		`{worker: {replicas: "2"}}`:                           "/worker/replicas",
		`{worker: {replicas: null}}`:                          "missing property 'replicas'",
		`{worker: {concurrency: 0}}`:                          "/worker/concurrency",
		`{worker: {concurrency: 1025}}`:                       "/worker/concurrency",
		`{worker: {memory: 2}}`:                               "/worker/memory",
		`{worker: {memory: 2 Gi}}`:                            "/worker/memory",
		`{coordinator: {storage: -1Gi}}`:                      "/coordinator/storage",
		`{worker: {priorityClass: "a b"}}`:                    "/worker/priorityClass",
		`{image: pagoda:1}`:                                   "/image",
		`{image: {tag: 1.0}}`:                                 "/image/tag",
		`{image: {tag: "a:b"}}`:                               "/image/tag",
		`{image: {repository: ""}}`:                           "/image/repository",
		`{image: {repository: "a:1"}}`:                        "", // perhaps a registry's port; the pull shows a mistake
		`{image: {repository: "a/b:1"}}`:                      "/image/repository",
		`{image: {digest: "sha256:0f"}}`:                      "/image/digest",
		`{nats: {image: {digest: latest}}}`:                   "/nats/image/digest",
		`{nats: {enabled: "yes"}}`:                            "/nats/enabled",
		`{accessMode: ReadWriteMany}`:                         "/accessMode",
		`{storageClass: "a\nb"}`:                              "/storageClass",
		`{config: {puzzle: peg}}`:                             "/config",
		`{config: "board: english"}`:                          "/config",
		`{name: English}`:                                     "/name",
		`{name: 7}`:                                           "/name",
		`{job: {enabled: true}, nats: {enabled: true}}`:       "/nats/enabled",
		`{job: {enabled: true}, worker: {replicas: 0}}`:       "/worker/replicas",
		`{autoscale: {enabled: true, min: 0, max: 4}}`:        "/autoscale/min",
		`{autoscale: {enabled: true, max: 10001}}`:            "/autoscale/max",
		`{autoscale: {enabled: true}, job: {enabled: true}}`:  "/autoscale/enabled",
		`{batch: {file: a.yaml}}`:                             "batch.files has no a.yaml",
		`{batch: {file: a/b.yaml}}`:                           "/batch/file",
		`{batch: {file: a}}`:                                  "/batch/file",
		`{batch: {files: {a/b: x}}}`:                          "invalid propertyName 'a/b'",
		`{batch: {files: {a: {}}}}`:                           "/batch/files/a",
		`{batch: {file: a.yaml}, job: {enabled: true}}`:       "/job/enabled",
		`{batch: {file: a.yaml}, nats: {enabled: true}}`:      "/nats/enabled",
		`{batch: {file: a.yaml}, autoscale: {enabled: true}}`: "/autoscale/enabled",
		`{job: {keep: 1}}`:                                    "/job/keep",
		`{job: {keep: soon}}`:                                 "/job/keep",
		`{job: {ttlSeconds: -1}}`:                             "/job/ttlSeconds",
		`{logLevel: loud}`:                                    "/logLevel",
		`{s3Secret: "a/b"}`:                                   "/s3Secret",
		`{kueue: {enabled: true, queue: ""}}`:                 "/kueue/queue",
		`{monitoring: {namespace: "{}"}}`:                     "/monitoring/namespace",
		`{monitoring: {labels: {a: 1}}}`:                      "/monitoring/labels/a",
	} {
		_, err := helm(c, "pagoda", readValues(t, []byte(values)))
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", values, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: error %v, want one with %q", values, err, want)
		}
	}
	for _, release := range []string{"9a", "a.b", strings.Repeat("a", 41)} {
		if _, err := helm(c, release, nil); err == nil || !strings.Contains(err.Error(), "is not a name of at most 40") {
			t.Errorf("release %q: error %v", release, err)
		}
	}
}

// TestLint has Helm's own linter look at the chart with the values of every overlay.
func TestLint(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, chartFolder, "ci", "*-values.yaml"))
	if err != nil || len(files) < 3 {
		t.Fatalf("values %v, %v", files, err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range lint.RunAll(filepath.Join(root, chartFolder), readValues(t, text), "puzzles").Messages {
			if m.Severity > support.InfoSev {
				t.Errorf("%s: %v", path, m)
			}
		}
	}
}

// TestNotes checks the notes that Helm prints after an installation.
func TestNotes(t *testing.T) {
	c := loadChart(t)
	digest := map[string]any{"repository": "p", "tag": "latest", "digest": "sha256:" + strings.Repeat("0f", 32)}
	for _, test := range []struct {
		values map[string]any
		want   []string
		not    []string
	}{
		{nil, []string{"Run r in", "coordinator status --url", "coordinator certs keys\n", "secret generic r-worker-certs"}, []string{"server-certs", "NOTE"}},
		{map[string]any{"nats": map[string]any{"enabled": true}},
			[]string{"--host r-nats --host '*.r-nats'", "secret generic r-server-certs"}, []string{"NOTE"}},
		{map[string]any{"batch": map[string]any{"file": "a.yaml", "files": map[string]any{"a.yaml": ""}}},
			[]string{"Batch r in", "coordinator batch status --url"}, []string{"Run"}},
		{map[string]any{"image": map[string]any{"tag": "latest"}}, []string{"NOTE: image pagoda:latest is"}, nil},
		{map[string]any{"image": map[string]any{"tag": ""}}, []string{"NOTE: image pagoda:latest is"}, nil},
		{map[string]any{"image": digest}, nil, []string{"NOTE"}},
	} {
		files, err := render(c, "r", test.values)
		if err != nil {
			t.Fatal(err)
		}
		notes := files["pagoda/templates/NOTES.txt"]
		for _, want := range test.want {
			if !strings.Contains(notes, want) {
				t.Errorf("%v: the notes have no %q:\n%s", test.values, want, notes)
			}
		}
		if slices.ContainsFunc(test.not, func(s string) bool { return strings.Contains(notes, s) }) {
			t.Errorf("%v: the notes have one of %q:\n%s", test.values, test.not, notes)
		}
	}
}

// TestConflict has two options change the same line.
func TestConflict(t *testing.T) {
	lines := []string{"a\n", "b\n", "c\n"}
	x := changes(lines, []string{"a\n", "x\n", "c\n"}, "x")
	y := changes(lines, []string{"a\n", "y\n", "c\n"}, "y")
	z := changes(lines, []string{"b\n", "c\n", "z\n"}, "z")
	if text, err := merge(lines, append(slices.Clone(x), y...)); err == nil {
		t.Errorf("no error, but %q", text)
	}
	text, err := merge(lines, append(slices.Clone(x), z...))
	const want = "{{- if not z }}\na\n{{- end }}\n{{- if x }}\nx\n{{- else }}\nb\n{{- end }}\nc\n" +
		"{{- if z }}\nz\n{{- end }}\n"
	if err != nil || text != want {
		t.Errorf("%q (%v), want %q", text, err, want)
	}
	if fmt.Sprint(changes(lines, lines, "")) != "[]" {
		t.Error("the same lines have changes")
	}
}
