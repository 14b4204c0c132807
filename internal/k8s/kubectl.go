package k8s

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Kubectl runs kubectl against one cluster and namespace.
type Kubectl struct {
	Path      string // "": kubectl on PATH
	Context   string // "": the current one
	Namespace string // "": that of the context
	// Trace is told of every command before it runs; may be nil.
	Trace func(args []string)
}

// ErrNoKubectl is wrapped when there is no kubectl to be run.
var ErrNoKubectl = errors.New("kubectl is not there")

// An Error is the message of kubectl, in one line.
type Error struct {
	Command string // first words of the command
	Text    string // its stderr
}

func (e *Error) Error() string { return "kubectl " + e.Command + ": " + e.Text }

func (k *Kubectl) command(ctx context.Context, args []string) *exec.Cmd {
	path := k.Path
	if path == "" {
		path = "kubectl"
	}
	var all []string
	if k.Context != "" {
		all = append(all, "--context", k.Context)
	}
	if k.Namespace != "" {
		all = append(all, "--namespace", k.Namespace)
	}
	all = append(all, args...)
	if k.Trace != nil {
		k.Trace(append([]string{path}, all...))
	}
	cmd := exec.CommandContext(ctx, path, all...)
	detach(cmd)
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// Run runs a command with input on its stdin and returns its stdout.
func (k *Kubectl) Run(ctx context.Context, input []byte, args ...string) ([]byte, error) {
	cmd := k.command(ctx, args)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, k.failure(ctx, args, err, stderr.String())
	}
	return stdout.Bytes(), nil
}

func (k *Kubectl) failure(ctx context.Context, args []string, err error, stderr string) error {
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%w: %w", ErrNoKubectl, err)
	case !errors.As(err, &exit):
		return fmt.Errorf("kubectl %s: %w", args[0], err)
	}
	text := strings.Join(strings.Fields(strings.TrimPrefix(strings.TrimSpace(stderr), "error: ")), " ")
	if text == "" {
		text = exit.String()
	}
	command := args[0]
	if len(args) > 1 && !strings.HasPrefix(args[1], "-") {
		command += " " + args[1]
	}
	return &Error{Command: command, Text: text}
}

// get decodes the JSON of a kubectl get into v. When the object does not exist, v stays and ok is false.
func (k *Kubectl) get(ctx context.Context, v any, args ...string) (ok bool, err error) {
	b, err := k.Run(ctx, nil, append(append([]string{"get"}, args...), "--ignore-not-found", "-o", "json")...)
	if err != nil || len(bytes.TrimSpace(b)) == 0 {
		return false, err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return false, fmt.Errorf("kubectl get %s: %w", args[0], err)
	}
	return true, nil
}
