package config

import (
	"errors"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"pagoda/internal/puzzle/setting"
)

// Machine holds the properties of the machine that the defaults depend on.
type Machine struct {
	CPUs        int
	MemoryBytes uint64 // limit of this process: that of the cgroup, or the machine's memory
}

// Values of retention say which windows stay on disk.
const (
	RetainAll     = "all"     // every window
	RetainLast    = "last"    // the windows of the last layer
	RetainSummary = "summary" // none: the tallies only
)

// Values of audit_by say who computes windows a second time.
const (
	AuditByWorkers     = "workers"     // other workers, and the coordinator a part
	AuditByCoordinator = "coordinator" // the coordinator alone
)

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

// General returns the keys of every run, whatever the puzzle. The value of archive, "" included, is checked by address;
// nil takes any.
func General(path string, puzzles []string, m Machine, address func(string) error) []setting.Setting {
	return []setting.Setting{
		{Name: "puzzle", Kind: setting.Choice, Choices: puzzles, Doc: "what is enumerated: " + setting.List(puzzles)},
		{Name: "name", Default: NameFromPath(path), DefaultFrom: "name of the config file",
			Doc: "name of the run in folders, logs and reports: lower-case letters, digits, - and _",
			Validate: func(s string) error {
				if !nameForm.MatchString(s) {
					return errors.New(setting.Quote(s) + " is not a name of lower-case letters, digits, - and _")
				}
				return nil
			}},
		{Name: "data_dir",
			Doc: "folder for windows, ledger and status; empty: runs/<name>-<run ID> in the current folder"},
		{
			Name:        "concurrency",
			Kind:        setting.Integer,
			Default:     strconv.Itoa(max(m.CPUs, 1)),
			DefaultFrom: "cpus of this machine",
			Max:         1024,
			Doc:         "windows that this process computes at the same time, each on one cpu; 0: worker processes do it",
		},
		{Name: "window_addresses", Kind: setting.Integer, Default: "4194304", Max: 1 << 40,
			Doc: "addresses in a window at most; larger ones are cut; 0: unlimited"},
		{Name: "memory_limit_bytes", Kind: setting.Integer, Default: strconv.FormatUint(m.MemoryBytes/5*4, 10),
			DefaultFrom: "80 % of this machine or its cgroup", Min: 64 << 20, Max: 1 << 50, ZeroIsDefault: true,
			Doc: "memory for the whole process, in bytes; a run whose largest window needs more is refused; 0: the default"},
		{Name: "retention", Kind: setting.Choice, Default: RetainAll, Choices: []string{RetainAll, RetainLast, RetainSummary},
			Doc: "what stays on disk: all windows, those of the last layer, or only the summary"},
		{Name: "replicas", Kind: setting.Integer, Default: "1", Min: 1, Max: 16,
			Doc: "workers that hold each window, where a run has several: 2 and more prefer disk to computing again"},
		{Name: "weight", Kind: setting.Integer, Default: "1", Min: 1, Max: 1000,
			Doc: "the run's part of workers that serve several runs: 3 gets three times the processor time of 1"},
		{Name: "archive", Validate: address,
			Doc: "where committed windows are kept beside the workers, such as s3://BUCKET/PREFIX; empty: nowhere"},
		{Name: "export",
			Doc: "where tables are written when the run is complete: a folder, or s3://BUCKET/PREFIX; empty: nowhere"},
		{Name: "export_tables", Default: "results",
			Doc: "what export writes, with commas between: results (all their tables), a table by name, counts, rows, windows"},
		{Name: "export_formats", Default: "csv",
			Doc: "formats of what export writes, with commas between: csv, jsonl, parquet, markdown"},
		{Name: "notify",
			Doc: "URL of a webhook that is told when the run is complete, stopped or has failed, https://...; empty: none"},
		{Name: "notify_secret_file",
			Doc: "file with the secret, whsec_BASE64, that signs what the webhook is told; empty: it is not signed"},
		{Name: "audit_fraction", Kind: setting.Share, Default: "0.02", DefaultFrom: "worker processes; 0 without",
			Doc: "share of the windows that are computed a second time, by somebody else, and compared: 0 to 1"},
		{Name: "audit_by", Kind: setting.Choice, Default: AuditByWorkers,
			Choices: []string{AuditByWorkers, AuditByCoordinator},
			Doc:     "what computes these: workers, and of four one the coordinator; or the coordinator all of them"},
		{Name: "locality", Kind: setting.Boolean, Default: "true",
			Doc: "whether a worker is preferred for windows whose parents it holds: true or false"},
		{Name: "worker_timeout", Kind: setting.Duration, Default: "10s", Min: uint64(time.Second), Max: uint64(time.Hour),
			Doc: "how long a worker may be silent before its windows are given to others, such as 10s"},
		{Name: "rejoin_grace", Kind: setting.Duration, Default: "5s", Min: uint64(time.Second), Max: uint64(time.Hour),
			Doc: "how long a coordinator that starts waits for holders on record before windows are computed again, such as 5s"},
		{Name: "ack_wait", Kind: setting.Duration, Default: "30s", Min: uint64(time.Second), Max: uint64(time.Hour),
			Doc: "how long a task may show no progress before it is given to another worker, such as 30s"},
	}
}

var notInName = regexp.MustCompile(`[^a-z0-9_-]+`)

// MostName is the length of the longest name that a run may have.
const MostName = 63

// PlainName is a text in lower case, with - for signs that cannot be in a name.
func PlainName(text string) string { return notInName.ReplaceAllString(strings.ToLower(text), "-") }

// NameFromPath is the name of a run or a batch whose file has no other.
func NameFromPath(path string) string {
	base := filepath.Base(path)
	base = strings.TrimLeft(PlainName(strings.TrimSuffix(base, filepath.Ext(base))), "-_")
	if base == "" {
		return "run"
	}
	return base[:min(len(base), MostName)]
}
