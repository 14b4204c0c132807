package k8s

import (
	"errors"
	"flag"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files")

func sample() Overlay {
	return Overlay{
		Name: "english-0123456789ab", Namespace: "puzzles", Run: "0123456789ab", Puzzle: "peg",
		Config: []byte("puzzle: peg\nboard: english\n"), Image: "registry.example:5000/pagoda:1.2", NATS: true,
		NATSImage: "nats@sha256:" + strings.Repeat("ab", 32), Workers: 4, Concurrency: 3,
		Grace: 15 * time.Second, LogLevel: "debug", MinWorkers: 2, MaxWorkers: 9,
		WorkerMemory: 2 << 30, WorkerStorage: 20 << 30,
		CoordinatorMemory: 512 << 20, CoordinatorStorage: 3 << 30,
		StorageClass: "fast", AccessMode: "ReadWriteOnce", BindPod: true, PriorityClass: "low", QueueName: "batch",
	}
}

func sampleJob() Overlay {
	o := sample()
	o.NATS, o.NATSImage, o.S3Secret, o.MinWorkers, o.MaxWorkers = false, "", "s3-keys", 0, 0
	o.Job, o.Keep, o.TTL = true, 10*time.Minute, 2*time.Hour
	return o
}

func sampleBatch() Overlay {
	o := sample()
	o.NATS, o.NATSImage, o.MinWorkers, o.MaxWorkers, o.Config = false, "", 0, 0, nil
	o.Batch, o.RetryFailed = "survey.yaml", true
	o.Files = map[string]string{"survey.yaml": "configs: [small.config]\n", "small.config": "puzzle: peg\n"}
	return o
}

// TestOverlay compares the written files with testdata; go test -run TestOverlay -update writes it anew.
func TestOverlay(t *testing.T) {
	for folder, o := range map[string]Overlay{".": sample(), "job": sampleJob(), "batch": sampleBatch()} {
		dir := filepath.Join(t.TempDir(), "run")
		if err := o.Write(dir); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"kustomization.yaml", "config.yaml"} {
			got, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", folder, name)
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || string(got) != string(want) {
				t.Errorf("%s differs from %s (%v):\n%s", name, golden, err, got)
			}
		}
		for _, name := range []string{
			"base/worker.yaml", "components/nats/nats.yaml", "components/job/claim.yaml", "components/s3/kustomization.yaml",
		} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
		if err := o.Write(dir); !errors.Is(err, fs.ErrExist) {
			t.Errorf("a folder that is in use: %v", err)
		}
	}
}

func TestRefusedOverlays(t *testing.T) {
	for want, change := range map[string]func(*Overlay){
		"is not a name":         func(o *Overlay) { o.Name = "English" },
		"10001 workers":         func(o *Overlay) { o.Workers = 10001 },
		"concurrency 0":         func(o *Overlay) { o.Concurrency = 0 },
		`"" is not an image`:    func(o *Overlay) { o.Image = "" },
		`"a@sha256:0f" is not`:  func(o *Overlay) { o.NATSImage = "a@sha256:0f" },
		"ConfigMap holds at":    func(o *Overlay) { o.Config = make([]byte, 1<<20) },
		`"a/../b" is not a nam`: func(o *Overlay) { o.Name = "a/../b" },
		"a grace of -1s":        func(o *Overlay) { o.Grace = -time.Second },
		"a grace of 1h0m1s":     func(o *Overlay) { o.Grace = time.Hour + time.Second },
		"a grace of 1.5s":       func(o *Overlay) { o.Grace = 1500 * time.Millisecond },
		"no name of a Secret":   func(o *Overlay) { o.S3Secret = "a/b" },
		"NATS servers do not":   func(o *Overlay) { o.NATS = true },
		"at least one worker":   func(o *Overlay) { o.Workers = 0 },
		"stay for 0s":           func(o *Overlay) { o.Keep = 0 },
		"stay for 1.5s":         func(o *Overlay) { o.Keep = 1500 * time.Millisecond },
		"there for -1s":         func(o *Overlay) { o.TTL = -time.Second },
		"StatefulSets alone":    func(o *Overlay) { o.MinWorkers, o.MaxWorkers = 1, 4 },
		"from 0 to 4 workers":   func(o *Overlay) { o.Job, o.MaxWorkers = false, 4 },
		"from 5 to 4 workers":   func(o *Overlay) { o.Job, o.MinWorkers, o.MaxWorkers = false, 5, 4 },
		"to 10001 workers":      func(o *Overlay) { o.Job, o.MinWorkers, o.MaxWorkers = false, 1, 10001 },
		"4 workers to begin":    func(o *Overlay) { o.Job, o.MinWorkers, o.MaxWorkers = false, 5, 8 },
	} {
		o := sampleJob()
		change(&o)
		dir := filepath.Join(t.TempDir(), "run")
		if err := o.Write(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: something was written", want)
		}
	}
}

// TestRefusedBatches refuses what a batch cannot have.
func TestRefusedBatches(t *testing.T) {
	for want, change := range map[string]func(*Overlay){
		"leave --job out":          func(o *Overlay) { o.Job, o.Keep = true, time.Minute },
		"follows the windows of":   func(o *Overlay) { o.MinWorkers, o.MaxWorkers = 1, 4 },
		"leave --nats-cluster out": func(o *Overlay) { o.NATS = true },
		"ConfigMap holds at":       func(o *Overlay) { o.Files["more"] = strings.Repeat("x", 512<<10) },
	} {
		o := sampleBatch()
		if change(&o); o.Check() == nil || !strings.Contains(o.Check().Error(), want) {
			t.Errorf("error %v, want one with %q", o.Check(), want)
		}
	}
}

func TestNames(t *testing.T) {
	for name, good := range map[string]bool{
		"a": true, "english-8ac7427e3573": true, strings.Repeat("a", 40): true,
		"": false, "9a": false, "-a": false, "a-": false, "a_b": false, "a.b": false, "A": false,
		strings.Repeat("a", 41): false,
	} {
		if got := CheckName(name) == nil; got != good {
			t.Errorf("CheckName(%q) = %v, want %v", name, got, good)
		}
	}
}

// TestOverlayIsRecovered reads the overlay back from the annotation, as resume does.
func TestOverlayIsRecovered(t *testing.T) {
	o := sample()
	o.Workers = rand.IntN(100)
	k := fake(t, `
case "$*" in
*"get configmaps"*) cat "$FAKE/maps.json" ;;
*) echo "error: unexpected: $*" >&2; exit 1 ;;
esac`)
	writeMaps(t, k, o)
	got, err := k.Find(t.Context(), "english")
	if err != nil {
		t.Fatal(err)
	}
	o.Namespace = "puzzles"
	if got.Workers != o.Workers || string(got.Config) != string(o.Config) || got.Image != o.Image ||
		got.WorkerStorage != o.WorkerStorage || got.Namespace != o.Namespace || !got.NATS {
		t.Errorf("recovered %+v, want %+v", got, o)
	}
	if o = sampleBatch(); len(got.Files) > 0 {
		t.Errorf("a run has the files %q of a batch", got.Files)
	}
	writeMaps(t, k, o)
	if got, err = k.Find(t.Context(), "english"); err != nil || got.Batch != o.Batch || len(got.Config) > 0 ||
		got.RetryFailed || !maps.Equal(got.Files, o.Files) {
		t.Errorf("recovered %+v, %v, want %+v", got, err, o)
	}
	if _, err := k.Find(t.Context(), "french"); !errors.Is(err, ErrNoRun) || !strings.Contains(err.Error(), o.Name) {
		t.Errorf("an unknown run: %v", err)
	}
}
