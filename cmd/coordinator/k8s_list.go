package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"pagoda/internal/app/runs"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/k8s"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/quantity"
	"pagoda/internal/run/status"
)

func (a *app) k8sListCommand(c *clusterFlags) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list the runs of a namespace, with their progress and results",
		Long: `List the runs of a namespace: state, windows, time, workers that are ready and wanted, and the result of a run
that is complete. The state is that of the coordinator; of a coordinator that does not answer it is launched. A run
without pods is stopped, or ended when its Jobs are gone. The time is that since launch or the last resume, until the
end.`,
		Example: `  coordinator k8s list
  coordinator k8s list --namespace puzzles --output json`,
		Args: cobra.NoArgs,
		RunE: a.action(func(ctx context.Context, _ []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			k, err := c.client(ctx, a.stderr)
			if err != nil {
				return err
			}
			list, err := c.listRuns(ctx, k)
			if err != nil {
				return adviseCluster(err)
			}
			if output == render.JSON {
				return a.printJSON(list)
			}
			return a.print(list.text(a.style()))
		}),
	}
	addOutput(cmd, &output)
	return cmd
}

// clusterList is the JSON form of k8s list, a contract described in docs/kubernetes.md.
type clusterList struct {
	Namespace string      `json:"namespace"`
	Runs      []listedRun `json:"runs"`
}

// A listedRun is a run as k8s list shows it.
type listedRun struct {
	Name    string      `json:"name"`
	Run     string      `json:"run"`
	Puzzle  string      `json:"puzzle"`
	State   string      `json:"state"`
	Trouble string      `json:"trouble,omitempty"` // of its pods
	Error   string      `json:"error,omitempty"`   // of a run that has failed
	Windows int         `json:"windows"`           // 0: not known
	Done    int         `json:"done"`
	Started time.Time   `json:"started,omitzero"` // launched or resumed
	Ended   time.Time   `json:"ended,omitzero"`
	Seconds float64     `json:"seconds"`
	Workers int         `json:"workers"` // wanted
	Ready   int         `json:"ready"`
	Result  runs.Result `json:"result,omitempty"` // of a complete run
	// Members are those of a batch whose coordinator answers; nil otherwise.
	Members *listedMembers `json:"members,omitempty"`
}

// listedMembers counts the members of a batch.
type listedMembers struct {
	All      int      `json:"all"`
	Complete int      `json:"complete"`
	Failed   []string `json:"failed"` // names
}

// String is one line, such as "18 of 19 members complete, 1 failed: inner".
func (m *listedMembers) String() string {
	if m == nil {
		return ""
	}
	text := fmt.Sprintf("%d of %s complete", m.Complete, plural.Of(m.All, "member"))
	if n := len(m.Failed); n > 0 {
		text += fmt.Sprintf(", %d failed: %s", n, strings.Join(m.Failed, ", "))
	}
	return text
}

const (
	// listTime bounds how long list waits for a coordinator.
	listTime = 10 * time.Second
	// listAtOnce is how many runs are asked at a time.
	listAtOnce = 4
)

func (f *clusterFlags) listRuns(ctx context.Context, k *k8s.Kubectl) (*clusterList, error) {
	found, err := k.Runs(ctx)
	if err != nil {
		return nil, err
	}
	list := &clusterList{Namespace: k.Namespace, Runs: make([]listedRun, len(found))}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(listAtOnce)
	for i := range found {
		group.Go(func() (err error) {
			list.Runs[i], err = f.listed(ctx, k, &found[i])
			return err
		})
	}
	return list, group.Wait()
}

// listed looks at the workloads and the pods of a run, and asks its coordinator. A coordinator that has ended is asked
// through its log.
func (f *clusterFlags) listed(ctx context.Context, k *k8s.Kubectl, o *k8s.Overlay) (listedRun, error) {
	r := listedRun{Name: o.Name, Run: o.Run, Puzzle: o.Puzzle}
	made, err := k.Workloads(ctx, o.Name)
	if err != nil {
		return r, err
	}
	lead := made[k8s.Coordinator]
	r.State, r.Workers = stateWithoutPods(o, made), made[k8s.Worker].Replicas
	r.Started, r.Ended = lead.Begun, lead.Finished
	now := time.Now()
	switch r.State {
	case "":
		pods, err := k.Pods(ctx, o.Name)
		if err != nil {
			return r, err
		}
		r.State, r.Trouble, r.Ready = launched, podTrouble(pods), readyWorkers(pods)
		if s := f.answer(ctx, k, o); s != nil {
			now = cmp.Or(r.take(s), now)
		}
	case status.StateComplete:
		log, err := k.FinalLog(ctx, o.Name)
		if err != nil {
			return r, err
		}
		r.read(log)
	case status.StateFailed:
		_, r.Error = k.Failure(ctx, o.Name, lead)
	}
	if !r.Started.IsZero() {
		r.Seconds = max(0, cmp.Or(r.Ended, now).Sub(r.Started).Seconds())
	}
	return r, nil
}

// answer returns what the coordinator of a run or a batch says, nil when it does not answer.
func (f *clusterFlags) answer(ctx context.Context, k *k8s.Kubectl, o *k8s.Overlay) answer {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	client, err := f.dial(ctx, k, o.Name)
	if err != nil {
		return nil
	}
	defer client.close()
	s, err := questionTo(ctx, client.Client, o)
	if err != nil {
		return nil
	}
	return s
}

// launched is the state of a run whose coordinator does not answer.
const launched = "launched"

// take takes over the word of a coordinator, and returns its time by the cluster's clock. The pods of a run that has
// ended stay.
func (r *listedRun) take(said answer) (updated time.Time) {
	r.State, r.Error = said.state()
	switch s := said.(type) {
	case runAnswer:
		r.Windows, r.Done, r.Result, updated = s.Windows, s.Done, s.Result, s.Updated
	case *batchReport:
		r.Done, r.Windows = s.Status.Windows()
		r.Members, updated = s.tally(), s.Updated
	}
	if over, _ := said.Ended(); over {
		r.Ended = updated
	}
	return updated
}

// read takes the result from the log of a coordinator that has ended. A log without one, as an earlier program writes
// it, says nothing.
func (r *listedRun) read(log []byte) {
	for line := range bytes.Lines(log) {
		var said struct {
			Msg     string
			Windows int
			Result  runs.Result
		}
		if json.Unmarshal(line, &said) == nil && said.Msg == ops.MsgResult {
			r.Windows, r.Done, r.Result = said.Windows, said.Windows, said.Result
		}
	}
}

func readyWorkers(pods []k8s.Pod) (n int) {
	for i := range pods {
		if p := &pods[i]; p.Component == k8s.Worker && p.Ready && !p.Ending && !p.Ended() {
			n++
		}
	}
	return n
}

// podTrouble says what is wrong with the pods of a run: its coordinator does not run, or some worker fails again and
// again.
func podTrouble(pods []k8s.Pod) string {
	there := false
	var failing []string
	for i := range pods {
		p := &pods[i]
		if p.Ended() { // one of a Job, in whose place is another
			continue
		}
		there = there || p.Component == k8s.Coordinator
		if p.Component == k8s.Coordinator && p.Phase != "Running" || p.Phase == crashLoop {
			failing = append(failing, fmt.Sprintf("%s: %s", p.Component, p.Phase))
		}
	}
	if !there {
		return "no coordinator"
	}
	return strings.Join(slices.Compact(failing), ", ")
}

// crashLoop is the phase of a pod whose container ends again and again.
const crashLoop = "CrashLoopBackOff"

// text has a line for each run, with - for what is not known.
func (l *clusterList) text(style render.Style) []byte {
	s := render.Sheet{Style: style}
	s.Columns()
	s.Printf("name\trun\tpuzzle\tstate\twindows\ttime\tworkers\tresult\n")
	for i := range l.Runs {
		r := &l.Runs[i]
		state, windows, took := r.State, "-", "-"
		if r.Trouble != "" {
			state += ", " + r.Trouble
		}
		if r.Windows > 0 {
			windows = s.Number(r.Done) + " of " + s.Number(r.Windows)
		}
		if !r.Started.IsZero() {
			took = quantity.Duration(r.Seconds)
		}
		s.Printf("%s\t%s\t%s\t%s\t%s\t%s\t%d of %d\t%s\n", r.Name, r.Run, r.Puzzle, state, windows, took, r.Ready, r.Workers,
			cmp.Or(r.Members.String(), r.Result.String(), r.Error, "-"))
	}
	return s.Bytes()
}
