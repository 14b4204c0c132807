package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"pagoda/internal/k8s"
)

// An option is something that the chart's values turn on.
type option struct {
	name      string
	condition string // of the templates
	set       func(*run)
	without   []string // names of others, which it cannot go with
}

// options are all of them, those before others that need not know of them.
var options = []option{
	{name: "nats", condition: ".Values.nats.enabled", without: []string{"job", "batch"}, set: func(r *run) {
		r.NATS, r.NATSImage = true, "image.invalid/nats:x"
	}},
	{name: "job", condition: ".Values.job.enabled", without: []string{"nats", "autoscale", "batch"}, set: func(r *run) {
		r.Job, r.Keep, r.TTL = true, 11*time.Hour+13*time.Minute+17*time.Second, 104729*time.Second
	}},
	{name: "autoscale", condition: ".Values.autoscale.enabled", without: []string{"job", "batch"}, set: func(r *run) {
		r.MinWorkers, r.MaxWorkers = 997, 1087
	}},
	{name: "monitoring", condition: ".Values.monitoring.enabled", set: func(r *run) {
		r.Monitoring, r.MonitorLabels = "zz-monitoring", map[string]string{"zz-labels": "x"}
	}},
	{name: "kueue", condition: ".Values.kueue.enabled", set: func(r *run) { r.QueueName = "zz-queue" }},
	{name: "s3", condition: ".Values.s3Secret", set: func(r *run) { r.S3Secret = "zz-s3-secret" }},
	// Values of an earlier chart have no batch.
	{name: "batch", condition: "(.Values.batch).file", without: []string{"nats", "job", "autoscale"}, set: func(r *run) {
		r.Batch, r.Files = "zz-batch.yaml", map[string]string{"zz-batch.yaml": "zz-text\n"}
	}},
	{name: "storageClass", condition: ".Values.storageClass", set: func(r *run) { r.StorageClass = "zz-storage-class" }},
	{name: "priorityClass", condition: ".Values.worker.priorityClass", set: func(r *run) {
		r.PriorityClass = "zz-priority-class"
	}},
	{name: "bindPod", condition: ".Values.bindPod", set: func(r *run) { r.BindPod = true }},
}

// plain is a run without options. Where a value of the chart goes, it has a value that occurs nowhere else.
func plain() run {
	return run{Overlay: k8s.Overlay{
		Name: "zz-name", Run: "zz-run", Puzzle: "zz-puzzle", Config: []byte("zz-config\n"), Image: "image.invalid/pagoda:x",
		Workers: 1013, Concurrency: 1019, Grace: 1049 * time.Second, LogLevel: "zz-log-level",
		WorkerMemory: 1021 << 20, WorkerStorage: 1031 << 20, CoordinatorMemory: 1033 << 20, CoordinatorStorage: 1039 << 20,
		AccessMode: "zz-access-mode",
	}}
}

// values puts the chart's values where plain and the options have theirs. The first one that fits counts.
var values = []string{
	"|\n    zz-config\n", "|2\n{{ .Values.config | trimSuffix \"\\n\" | indent 4 }}\n",
	"  zz-batch.yaml: |\n    zz-text\n",
	"{{- range $name, $text := .Values.batch.files }}\n  {{ $name | quote }}: {{ toJson $text }}\n{{- end }}\n",
	"zz-batch.yaml", `{{ include "pagoda.batch" . }}`,
	"zz-batch", `{{ include "pagoda.batch" . | trimSuffix ".yaml" }}`,
	"zz-name-", `{{ include "pagoda.name" . }}-`,
	"zz-name", `{{ include "pagoda.name" . | quote }}`,
	"image.invalid/pagoda:x", `{{ include "pagoda.image" .Values.image | quote }}`,
	"image.invalid/nats:x", `{{ include "pagoda.image" .Values.nats.image | quote }}`,
	"1013", "{{ .Values.worker.replicas | int }}",
	`"1019"`, "{{ .Values.worker.concurrency | int | quote }}",
	"1019", "{{ .Values.worker.concurrency | int }}",
	`"2038"`, "{{ mul .Values.worker.concurrency 2 | quote }}",
	"997", "{{ .Values.autoscale.min | int }}",
	"1087", "{{ .Values.autoscale.max | int }}",
	"1021Mi", "{{ .Values.worker.memory | quote }}",
	"1031Mi", "{{ .Values.worker.storage | quote }}",
	"1033Mi", "{{ .Values.coordinator.memory | quote }}",
	"1039Mi", "{{ .Values.coordinator.storage | quote }}",
	// Values of an earlier chart have no grace.
	"1049s", "{{ .Values.worker.graceSeconds | default 45 | int }}s",
	"1064", "{{ add (.Values.worker.graceSeconds | default 45) 15 }}",
	"zz-log-level", "{{ .Values.logLevel | default \"info\" }}",
	"zz-access-mode", "{{ .Values.accessMode }}",
	"    zz-labels: x\n", "{{- with .Values.monitoring.labels }}\n{{ toYaml . | indent 4 }}\n{{- end }}\n",
	"zz-monitoring", "{{ .Values.monitoring.namespace | quote }}",
	"11h13m17s", "{{ .Values.job.keep }}",
	"104729", "{{ .Values.job.ttlSeconds | int }}",
	"zz-s3-secret", "{{ .Values.s3Secret | quote }}",
	"zz-queue", "{{ .Values.kueue.queue | quote }}",
	"zz-storage-class", "{{ .Values.storageClass | quote }}",
	"zz-priority-class", "{{ .Values.worker.priorityClass | quote }}",
}

// builder builds runs with options, each once.
type builder map[string]map[string]object

// with returns the objects of a run with these options, by their IDs.
func (b builder) with(set ...option) (map[string]object, error) {
	r := plain()
	var key strings.Builder
	for _, o := range options { // always in this order
		if slices.ContainsFunc(set, func(s option) bool { return s.name == o.name }) {
			o.set(&r)
			key.WriteString(o.name + " ")
		}
	}
	if all, ok := b[key.String()]; ok {
		return all, nil
	}
	list, err := r.build()
	if err != nil {
		return nil, fmt.Errorf("a run with options %q: %w", key.String(), err)
	}
	all := make(map[string]object, len(list))
	for _, o := range list {
		all[o.id()] = o
	}
	b[key.String()] = all
	return all, nil
}

// templates returns the chart's templates by file name. An object of the base, or one that an option brings, is
// rendered with each other option in turn; where that changes its lines, the template asks for the option. Options that
// change the same lines are refused: the tests render them together.
func templates() (map[string]string, error) {
	b := make(builder)
	base, err := b.with()
	if err != nil {
		return nil, err
	}
	files := make(map[string]string)
	add := func(id string, all map[string]object, need ...option) error {
		text, err := b.template(id, need)
		if err != nil {
			return err
		}
		name := fileOf(all[id], need)
		files[name] += "---\n" + text
		return nil
	}
	done := make(map[string]bool)
	for _, id := range slices.Sorted(maps.Keys(base)) {
		done[id] = true
		if err := add(id, base); err != nil {
			return nil, err
		}
	}
	for _, o := range options {
		all, err := b.with(o)
		if err != nil {
			return nil, err
		}
		for _, id := range slices.Sorted(maps.Keys(all)) {
			if done[id] {
				continue
			}
			done[id] = true
			if err := add(id, all, o); err != nil {
				return nil, err
			}
		}
	}
	fill := strings.NewReplacer(values...)
	for name, text := range files {
		if strings.Contains(strings.ReplaceAll(text, "{{- ", ""), "{{") {
			return nil, fmt.Errorf("%s: the base has {{, which Helm would take for its own", name)
		}
		text = fill.Replace(text)
		for _, left := range []string{"zz-", "image.invalid"} {
			if _, rest, found := strings.Cut(text, left); found {
				return nil, fmt.Errorf("%s: no value of the chart is known for %s%.40q", name, left, rest)
			}
		}
		files[name] = "# Made of deploy/k8s by `make chart`: change that, not this.\n" + text
	}
	return files, nil
}

// template returns the template of one object, with the changes that options make to it.
func (b builder) template(id string, need []option) (string, error) {
	from, err := b.with(need...)
	if err != nil {
		return "", err
	}
	lines, err := linesOf(from[id])
	if err != nil {
		return "", err
	}
	var conditions []string
	for _, o := range need {
		conditions = append(conditions, o.condition)
	}
	var edits []change
	for _, o := range options {
		if slices.ContainsFunc(need, func(n option) bool { return n.name == o.name || slices.Contains(n.without, o.name) }) {
			continue
		}
		to, err := b.with(append(slices.Clone(need), o)...)
		if err != nil {
			return "", err
		}
		if to[id] == nil {
			conditions = append(conditions, "(not "+o.condition+")")
			continue
		}
		other, err := linesOf(to[id])
		if err != nil {
			return "", err
		}
		edits = append(edits, changes(lines, other, o.condition)...)
	}
	text, err := merge(lines, edits)
	if err != nil {
		return "", fmt.Errorf("%s: %w", id, err)
	}
	switch len(conditions) {
	case 0:
		return text, nil
	case 1:
		return "{{- if " + strings.Trim(conditions[0], "()") + " }}\n" + text + "{{- end }}\n", nil
	}
	return "{{- if and " + strings.Join(conditions, " ") + " }}\n" + text + "{{- end }}\n", nil
}

func linesOf(o object) ([]string, error) {
	text, err := yaml.Marshal(map[string]any(o))
	if err != nil {
		return nil, err
	}
	if len(text) == 0 {
		return nil, errors.New("an object is empty")
	}
	return strings.SplitAfter(strings.TrimSuffix(string(text), "\n")+"\n", "\n")[:strings.Count(string(text), "\n")], nil
}

// fileOf says which file an object goes to: that of its component, or of the option that brings it, or of its kind.
func fileOf(o object, need []option) string {
	labels, _ := o["metadata"].(map[string]any)["labels"].(map[string]any)
	if c, ok := labels["app.kubernetes.io/component"].(string); ok {
		return c + ".yaml"
	}
	if len(need) > 0 {
		return need[0].name + ".yaml"
	}
	return strings.ToLower(fmt.Sprint(o["kind"])) + ".yaml"
}
