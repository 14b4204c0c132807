package fleet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// fields FILE WORKER... demands of each line of a log in the form json that it names its run, worker and window by the
// same fields as all others. The names are those of all workers.
func fields(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: fields file worker...")
	}
	b, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	if problems := checkFields(b, args[1:]); len(problems) > 0 {
		ts.Fatalf("%s: %s", args[0], strings.Join(problems, "\n"))
	}
}

var (
	windowName = regexp.MustCompile(`^[0-9]+/[a-z0-9][a-z0-9._-]*/[0-9]+$`)
	fieldName  = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
)

// otherNames are names that would be a second one for a run, a worker or a window.
var otherNames = []string{"id", "name", "win", "run_id", "worker_id", "worker_name", "window_id"}

// ofProcess are the messages of a worker that are about no single run: it may serve several.
var ofProcess = []string{
	"listening", "connecting", "waiting for a run", "stopping", "connection to NATS lost, trying again",
	"connected to NATS again", "trouble with NATS",
}

// checkFields returns what is wrong with a log.
func checkFields(log []byte, workers []string) (problems []string) {
	run, lines := "", 0
	for text := range bytes.Lines(log) {
		if strings.HasPrefix(string(text), "error: ") || strings.HasPrefix(string(text), "hint: ") {
			continue // the message of a program at its end
		}
		lines++
		l, err := logLine(text)
		if err == nil {
			err = l.check(&run, workers)
		}
		if err != nil {
			problems = append(problems, fmt.Sprintf("%v: %s", err, text))
		}
	}
	if run == "" || lines < 3 {
		problems = append(problems, fmt.Sprintf("%d lines, and the run is %q", lines, run))
	}
	return problems
}

// line has the fields of a line.
type line map[string]any

// logLine reads a line, which has no field twice.
func logLine(text []byte) (line, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	l := make(line)
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value any
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		name := fmt.Sprint(key)
		if _, twice := l[name]; twice || !fieldName.MatchString(name) || slices.Contains(otherNames, name) {
			return nil, fmt.Errorf("the field %s is there twice, or has no such name as others", name)
		}
		l[name] = value
	}
	return l, nil
}

// check checks the fields of a line. run is the run of the lines before it, "" before it is known.
func (l line) check(run *string, workers []string) error {
	if l["msg"] == "run" {
		*run, _ = l["run"].(string)
	}
	_, worker := l["worker"]
	about, _ := l["msg"].(string)
	switch {
	case *run != "" && l["run"] == nil && (!worker || !slices.Contains(ofProcess, about)):
		return errors.New("it does not name its run")
	case l["run"] != nil && *run != "" && l["run"] != *run:
		return fmt.Errorf("it names another run than %s", *run)
	}
	for name, value := range l {
		text, _ := value.(string)
		if windowName.MatchString(text) != (name == "window") {
			return fmt.Errorf("%s is a window, or window is none", name)
		}
		if name != "worker" && name != "run_name" && slices.Contains(workers, text) {
			return fmt.Errorf("%s is a worker", name)
		}
	}
	if window, ok := l["window"].(string); ok {
		layer, _ := l["layer"].(float64)
		if !strings.HasPrefix(window, strconv.Itoa(int(layer))+"/") {
			return fmt.Errorf("layer %v of window %s", l["layer"], window)
		}
	} else if strings.HasPrefix(about, "window ") {
		return errors.New("it names no window")
	}
	if worker && !slices.Contains(workers, fmt.Sprint(l["worker"])) {
		return fmt.Errorf("there is no worker %v", l["worker"])
	}
	return nil
}

// TestFields: lines that name something by another field are found.
func TestFields(t *testing.T) {
	const begin = `{"time":"2026-01-02T03:04:05Z","level":"INFO","msg":"run","run":"r1"}` + "\n" +
		`{"msg":"window computed","worker":"w1","run":"r1","layer":3,"window":"3/a/0"}` + "\n" +
		`{"msg":"stopping","worker":"w1"}` + "\n"
	if problems := checkFields([]byte(begin), []string{"w1"}); len(problems) > 0 {
		t.Error(problems)
	}
	for _, bad := range []string{
		`{"msg":"x"}`, `{"msg":"stopping"}`, `{"msg":"x","worker":"w1"}`, `{"msg":"x","run":"r2"}`,
		`{"msg":"x","run":"r1","win":"3/a/0"}`, `{"msg":"x","run":"r1","of":"3/a/0"}`, `{"msg":"x","run":"r1","by":"w1"}`,
		`{"msg":"x","run":"r1","window":"3/a/0"}`, `{"msg":"x","run":"r1","layer":4,"window":"3/a/0"}`,
		`{"msg":"x","run":"r1","layer":3,"window":"3/a"}`, `{"msg":"window computed","run":"r1"}`,
		`{"msg":"x","run":"r1","worker":"w3"}`, `{"msg":"x","run":"r1","run":"r1"}`, `{"msg":"x","run":"r1","id":1}`,
		`{"msg":"x","run":"r1","windowsHeld":1}`, `msg=x run=r1`,
	} {
		if problems := checkFields([]byte(begin+bad+"\n"), []string{"w1"}); len(problems) != 1 {
			t.Errorf("%s: %v", bad, problems)
		}
	}
}
