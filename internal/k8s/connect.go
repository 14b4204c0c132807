package k8s

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// APIPort is where coordinators serve status and exports.
const APIPort = 8443

// Ways from here to a pod.
const (
	ViaForward = "port-forward" // through the API server; works wherever kubectl does
	ViaPod     = "pod"          // to the pod's own address, from inside the cluster or where its network is routed
)

// A Tunnel leads to a port of a pod.
type Tunnel struct {
	Address string // host:port to connect to
	close   func()
}

// Close takes the tunnel down.
func (t *Tunnel) Close() {
	if t.close != nil {
		t.close()
	}
}

// Connect makes a way to a port of a pod: via is ViaForward or ViaPod.
func (k *Kubectl) Connect(ctx context.Context, pod Pod, port int, via string) (*Tunnel, error) {
	switch via {
	case ViaForward:
		return k.forward(ctx, pod.Name, port)
	case ViaPod:
		if pod.IP == "" {
			return nil, fmt.Errorf("pod %s has no address yet", pod.Name)
		}
		return &Tunnel{Address: net.JoinHostPort(pod.IP, strconv.Itoa(port))}, nil
	}
	return nil, fmt.Errorf("%q is no way to a pod: %s or %s", via, ViaForward, ViaPod)
}

var forwarding = regexp.MustCompile(`^Forwarding from 127\.0\.0\.1:([0-9]+) -> `)

// forwardWait bounds how long kubectl may take to begin forwarding.
const forwardWait = 20 * time.Second

// forward runs kubectl port-forward on a free port of this machine until the tunnel is closed.
func (k *Kubectl) forward(ctx context.Context, pod string, port int) (*Tunnel, error) {
	ctx, stop := context.WithCancel(ctx)
	args := []string{"port-forward", "--address", "127.0.0.1", "pod/" + pod, ":" + strconv.Itoa(port)}
	cmd := k.command(ctx, args)
	stdout, out := io.Pipe()
	var stderr lockedBuffer
	cmd.Stdout, cmd.Stderr = out, &stderr
	if err := cmd.Start(); err != nil {
		stop()
		return nil, k.failure(ctx, args, err, "")
	}
	var wait sync.WaitGroup
	ended := make(chan error, 1)
	wait.Go(func() {
		err := cmd.Wait()
		_ = out.Close()
		ended <- err
	})
	first := make(chan string, 1)
	wait.Go(func() {
		s := bufio.NewScanner(stdout)
		for s.Scan() {
			if m := forwarding.FindStringSubmatch(s.Text()); m != nil {
				select {
				case first <- m[1]:
				default: // "Handling connection for ..." and the same for ::1
				}
			}
		}
	})
	closing := func() { stop(); wait.Wait() }
	timer := time.NewTimer(forwardWait)
	defer timer.Stop()
	select {
	case local := <-first:
		return &Tunnel{Address: "127.0.0.1:" + local, close: closing}, nil
	case err := <-ended:
		ended <- err
		failed := k.failure(ctx, args, err, stderr.String())
		closing()
		return nil, failed
	case <-timer.C:
		closing()
		return nil, &Error{Command: "port-forward", Text: fmt.Sprintf("pod %s: nothing within %v", pod, forwardWait)}
	case <-ctx.Done():
		closing()
		return nil, context.Cause(ctx)
	}
}

// lockedBuffer keeps the first 4096 bytes that a process writes, and can be read meanwhile.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if room := 4096 - l.b.Len(); room > 0 {
		l.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// ErrNoPod is wrapped when a run has no coordinator pod that could be asked.
var ErrNoPod = errors.New("the run has no running coordinator")

// CoordinatorPod returns the coordinator's pod of a run. Whether it is ready does not matter.
func (k *Kubectl) CoordinatorPod(ctx context.Context, name string) (Pod, error) {
	pods, err := k.Pods(ctx, name)
	if err != nil {
		return Pod{}, err
	}
	var last *Pod // of a Job there may be several, of which one runs
	for i := range pods {
		p := &pods[i]
		if p.Component != Coordinator || p.Ending {
			continue
		}
		if p.Phase == "Running" {
			return *p, nil
		}
		if last == nil || last.Ended() {
			last = p
		}
	}
	if last == nil {
		return Pod{}, fmt.Errorf("%w: there is no pod of %s", ErrNoPod, name)
	}
	why := last.Phase
	if last.Message != "" {
		why += ": " + last.Message
	}
	return Pod{}, fmt.Errorf("%w: pod %s is %s", ErrNoPod, last.Name, why)
}
