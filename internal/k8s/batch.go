package k8s

import (
	"errors"
	"strings"
)

// runFile is the name of the config of a run in its ConfigMap, and configFolder is where pods mount that.
const (
	runFile      = "run.yaml"
	configFolder = "/etc/pagoda/config/"
)

// data are the files of the ConfigMap. Those of a batch replace the config of the base, which nil removes.
func (o *Overlay) data() map[string]any {
	if o.Batch == "" {
		return map[string]any{runFile: string(o.Config)}
	}
	data := map[string]any{runFile: nil}
	for name, text := range o.Files {
		data[name] = text
	}
	return data
}

// labelID is the label whose value is the ID of the run or the batch.
func (o *Overlay) labelID() string {
	if o.Batch != "" {
		return labelBatch
	}
	return LabelRun
}

// checkBatch refuses what a batch cannot have.
func (o *Overlay) checkBatch() error {
	switch {
	case o.Batch == "":
		return nil
	case o.Job:
		return errors.New("a batch has StatefulSets alone, as the workers of Jobs end with one run: leave --job out, and " +
			"stop the batch when its table is home")
	case o.MaxWorkers > 0:
		return errors.New("an autoscaler follows the windows of one run: give a batch --workers, and change them with scale")
	case o.NATS:
		return errors.New("a batch has its queue in the coordinator: leave --nats-cluster out")
	}
	return nil
}

// batch are the changes that let the coordinator carry out a batch.
func (o *Overlay) batch() []operation {
	const args = container + "/args"
	var ops []operation
	for _, change := range []struct{ path, was, is string }{
		{args + "/1", configFolder + runFile, configFolder + o.Batch},
		{args + "/2", "--data=/data/run", "--data=/data/" + strings.TrimSuffix(o.Batch, ".yaml")},
	} {
		ops = append(ops, operation{"test", change.path, change.was}, operation{"replace", change.path, change.is})
	}
	if o.RetryFailed {
		ops = append(ops, operation{"add", args + "/-", "--retry-failed"})
	}
	return append(ops,
		operation{"test", args + "/0", "run"},
		operation{"add", container + "/command/-", "batch"},
		operation{"test", args + "/10", "--set=rejoin_grace=1m"}, // for batch run in the environment
		operation{Op: "remove", Path: args + "/10"},
		operation{"add", container + "/env/-", map[string]string{"name": "PAGODA_REJOIN_GRACE", "value": "1m"}})
}
