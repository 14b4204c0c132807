package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"pagoda/internal/app/cli"
	"pagoda/internal/k8s"
	"pagoda/internal/output/render"
	"pagoda/internal/run/status"
)

func (a *app) k8sStatusCommand(c *clusterFlags) *cobra.Command {
	var output string
	var watch bool
	cmd := &cobra.Command{
		Use:   "status RUN",
		Short: "say how far a run or a batch on a cluster is, and how its pods are",
		Long: `Say how far a run or a batch on a cluster is, and how its pods are. How far is what its coordinator says. The
exit code is 0 as long as nothing is wrong with the run: while it goes on, when it is complete, and when it is stopped;
otherwise it is the coordinator's.`,
		Example: `  coordinator k8s status french
  coordinator k8s status french --watch
  coordinator k8s status french --output json`,
		Args: oneRun,
		RunE: a.action(func(ctx context.Context, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			k, o, err := c.found(ctx, a.stderr, args[0])
			if err != nil {
				return err
			}
			if watch {
				s, err := a.follow(ctx, c, k, &o)
				switch {
				case s != nil:
					return errors.Join(err, a.print(a.statusAs(s, output)))
				case err == nil:
					a.sayUnseen(&o)
				}
				return err
			}
			return a.k8sStatus(ctx, c, k, &o, output)
		}),
	}
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "show the progress until the run ends")
	addOutput(cmd, &output)
	return cmd
}

// clusterStatus is the JSON form of k8s status, a contract described in docs/kubernetes.md.
type clusterStatus struct {
	Name      string          `json:"name"`
	Namespace string          `json:"namespace"`
	Run       string          `json:"run"`
	State     string          `json:"state"` // the run's own, or unreachable
	Error     string          `json:"error,omitempty"`
	Status    json.RawMessage `json:"status,omitempty"` // as the coordinator gave it
	Pods      []podStatus     `json:"pods"`

	what string // run or batch
}

type podStatus struct {
	Name      string `json:"name"`
	Component string `json:"component"`
	Node      string `json:"node,omitempty"`
	Phase     string `json:"phase"`
	Ready     bool   `json:"ready"`
	Restarts  int    `json:"restarts"`
	Message   string `json:"message,omitempty"`
}

// stateUnreachable is the state of a run whose coordinator does not answer.
const stateUnreachable = "unreachable"

func (a *app) k8sStatus(ctx context.Context, c *clusterFlags, k *k8s.Kubectl, o *k8s.Overlay, output string) error {
	pods, err := k.Pods(ctx, o.Name)
	if err != nil {
		return adviseCluster(err)
	}
	st := clusterStatus{Name: o.Name, Namespace: k.Namespace, Run: o.Run, Pods: []podStatus{}, what: kindOf(o)}
	for _, p := range pods {
		st.Pods = append(st.Pods, podStatus{p.Name, p.Component, p.Node, p.Phase, p.Ready, p.Restarts, p.Message})
	}
	there, err := k.Workloads(ctx, o.Name)
	if err != nil {
		return adviseCluster(err)
	}
	var said answer
	var wrong error
	if st.State = stateWithoutPods(o, there); st.State == status.StateFailed {
		wrong = jobFailed(ctx, k, o, there[k8s.Coordinator])
		st.Error = wrong.Error()
	} else if st.State != "" {
		wrong = nil
	} else if said, wrong = c.ask(ctx, k, o); said != nil {
		st.State, st.Error = said.state()
		st.Status = said.document()
	} else {
		st.State, st.Error = stateUnreachable, wrong.Error()
		wrong = adviseCluster(wrong)
	}
	if output == render.JSON {
		return errors.Join(a.printJSON(&st), wrong)
	}
	return errors.Join(a.print(st.text(said, a.style())), wrong)
}

// stateEnded is the state of a run of Jobs that have been removed after their end.
const stateEnded = "ended"

// stateWithoutPods is the state of a run by its workloads, when its coordinator is not to be asked, and "" otherwise.
func stateWithoutPods(o *k8s.Overlay, there map[string]k8s.Workload) string {
	switch {
	case len(there) == 0 && o.Job && !o.Stopped:
		return stateEnded
	case len(there) == 0:
		return status.StateStopped
	case there[k8s.Coordinator].Ended == k8s.JobComplete:
		return status.StateComplete
	case there[k8s.Coordinator].Ended == k8s.JobFailed:
		return status.StateFailed
	}
	return ""
}

// jobFailed is the error of a run whose coordinator was a Job that failed.
func jobFailed(ctx context.Context, k *k8s.Kubectl, o *k8s.Overlay, w k8s.Workload) error {
	code, text := k.Failure(ctx, o.Name, w)
	err := fmt.Errorf("the coordinator of run %s has failed: %s", o.Name, text)
	return cli.Hint(&cli.RemoteError{Err: err, Exit: code},
		"kubectl logs job/"+o.Name+"-"+k8s.Coordinator+" says more; coordinator k8s resume "+o.Name+" tries again")
}

// ask asks the coordinator how far its run is. The error is that of the run, or tells why no coordinator answers. An
// error of the run is left as an event on the pod, too.
func (f *clusterFlags) ask(ctx context.Context, k *k8s.Kubectl, o *k8s.Overlay) (answer, error) {
	client, err := f.dial(ctx, k, o.Name)
	if err != nil {
		return nil, err
	}
	defer client.close()
	s, err := questionTo(ctx, client.Client, o)
	if err != nil {
		return nil, err
	}
	_, ended := s.Ended()
	if ended != nil {
		// An event is a courtesy to users of kubectl: the caller gets the error anyway.
		_ = k.Record(ctx, client.pod, true, reason(ended), s.event())
	}
	return s, ended
}

func (st *clusterStatus) text(said answer, style render.Style) []byte {
	var s render.Sheet
	if said != nil {
		s.Printf("%s\n", said.text(style))
	}
	s.Columns()
	s.Printf("name\t%s\nnamespace\t%s\n%s\t%s\nstate\t%s\n", st.Name, st.Namespace, st.what, st.Run, st.State)
	if st.Error != "" && said == nil {
		s.Printf("error\t%s\n", st.Error)
	}
	if len(st.Pods) > 0 {
		s.Columns()
		s.Printf("\npod\tnode\tphase\tready\trestarts\t\n")
		for _, p := range st.Pods {
			ready := "no"
			if p.Ready {
				ready = "yes"
			}
			s.Printf("%s\t%s\t%s\t%s\t%d\t%s\n", p.Name, p.Node, p.Phase, ready, p.Restarts, p.Message)
		}
	}
	return s.Bytes()
}
