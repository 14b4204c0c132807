package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/config"
	"pagoda/internal/output/export"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle/quantity"
	"pagoda/internal/readfile"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/status"
)

// StateWaiting is the state of a member that has not begun. The others are those of package status.
const StateWaiting = "waiting"

// A Standing is how far a member is.
type Standing struct {
	Member  string `json:"member"`
	Run     string `json:"run"`
	State   string `json:"state"`
	Error   string `json:"error,omitempty"`
	Windows int    `json:"windows"` // planned so far
	Done    int    `json:"done"`    // committed
	Rows    uint64 `json:"rows"`
	Bytes   uint64 `json:"bytes"`
	Data    string `json:"data"`

	Result runs.Result `json:"result,omitempty"` // of a complete member; Status alone has it
}

// A failure is an entry of the list of failures.
type failure struct {
	Run   string `json:"run"` // by which a member whose parameters have changed is told
	Error string `json:"error"`
}

const (
	failuresName     = "failed.json"
	mostFailureBytes = 64 << 20
)

// failures reads the list of the members that have failed.
func (b *Batch) failures() (map[string]failure, error) {
	path := filepath.Join(b.Dir, failuresName)
	list := make(map[string]failure)
	text, err := readfile.Own(path, mostFailureBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return list, nil
	case err != nil:
		return nil, cli.AdviseFolder(err, b.Dir)
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, &config.Error{Where: path, Err: fmt.Errorf("not a list of failures: %w", err),
			Hint: "remove it: then members that have failed are tried again"}
	}
	for _, m := range b.Members {
		if list[m.Name].Run != m.ID {
			delete(list, m.Name)
		}
	}
	return list, nil
}

// writeFailures puts the list of failures in its place at once.
func (b *Batch) writeFailures(list map[string]failure) error {
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	f, err := export.CreateOver(filepath.Join(b.Dir, failuresName))
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(append(text, '\n')); err != nil {
		return err
	}
	return f.Replace()
}

// Standings says how far every member is, also while the batch is carried out. A folder of another run is an error.
func (b *Batch) Standings(ctx context.Context) ([]Standing, error) {
	list, _, err := b.standings(ctx)
	return list, err
}

// standings is Standings, with the list of failures.
func (b *Batch) standings(ctx context.Context) (list []Standing, failed map[string]failure, err error) {
	if err := b.check(); err != nil {
		return nil, nil, err
	}
	if failed, err = b.failures(); err != nil {
		return nil, nil, err
	}
	for _, m := range b.Members {
		if s := m.told.Load(); s != nil {
			list = append(list, *s)
			continue
		}
		s := Standing{Member: m.Name, Run: m.ID, State: StateWaiting, Data: m.Dir}
		if rundir.Holds(m.Dir) {
			if err := m.look(ctx, &s); err != nil {
				return nil, nil, err
			}
		}
		if f, is := failed[m.Name]; is && s.State != status.StateComplete && s.State != status.StateRunning {
			s.State, s.Error = status.StateFailed, f.Error
		} else if s.State == status.StateFailed { // it was stopped by what stopped the batch, and is not set aside
			s.State = status.StateStopped
		}
		list = append(list, s)
	}
	return list, failed, nil
}

// look reads the state of a member in its folder.
func (m *Member) look(ctx context.Context, s *Standing) error {
	j, err := m.Job(ctx)
	if err != nil {
		return err
	}
	st, err := rundir.ReadStatus(m.Dir, j.Puzzle)
	if err != nil {
		s.State, s.Error = status.StateStopped, err.Error()
		return nil //nolint:nilerr // run recovers what can be read
	}
	s.State, s.Windows, s.Done, s.Rows, s.Bytes, s.Error = st.State, st.Windows, st.Done, st.Rows, st.Bytes, st.Error
	return nil
}

// A Status is how far a batch is. Its JSON form is a contract, described in docs/cli.md.
type Status struct {
	Batch    string     `json:"batch"`
	ID       string     `json:"id"`
	Data     string     `json:"data"`
	Complete int        `json:"complete"`
	Failed   int        `json:"failed"`
	Members  []Standing `json:"members"`
}

// Status says how far the batch is.
func (b *Batch) Status(ctx context.Context) (*Status, error) {
	members, err := b.Standings(ctx)
	s := &Status{Batch: b.Name, ID: b.ID(), Data: b.Dir, Members: members}
	for i := range members {
		switch members[i].State {
		case status.StateComplete:
			s.Complete++
			b.tell(ctx, b.Members[i], &members[i])
		case status.StateFailed:
			s.Failed++
		}
	}
	return s, err
}

// tell adds the result of a complete member, whose standing stays as it is from then on.
func (b *Batch) tell(ctx context.Context, m *Member, s *Standing) {
	if s.Result != nil {
		return
	}
	sum, err := b.results(ctx, m)
	if err != nil {
		s.Error = err.Error()
		return
	}
	s.Result = runs.NewResult(sum)
	m.told.Store(s)
}

// A Report is the status of a batch by the word of the process that carries it out, with the state of that process:
// starting, running, stopped, complete or failed. Its JSON form is a contract, described in docs/fleet.md.
type Report struct {
	Status
	State string `json:"state"`
	Error string `json:"error,omitempty"` // why the batch has stopped or failed, or which members have
	Hint  string `json:"hint,omitempty"`
	Code  int    `json:"code,omitempty"` // exit code of a process that lingers after an error
	// Updated is when the report was made, or when the batch ended.
	Updated time.Time `json:"updated"`
}

// Windows adds the windows of all members up: committed, and planned so far.
func (s *Status) Windows() (done, planned int) {
	for i := range s.Members {
		done, planned = done+s.Members[i].Done, planned+s.Members[i].Windows
	}
	return done, planned
}

// Text is the status for people.
func (s *Status) Text(style render.Style) []byte {
	t := render.Sheet{Style: style}
	t.Numbers()
	t.Printf("member\trun\tstate\twindows\tdone\trows\tdisk\t\n")
	for i := range s.Members {
		m := &s.Members[i]
		t.Printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", m.Member, m.Run, m.State, t.Number(m.Windows), t.Number(m.Done),
			t.Number(m.Rows), quantity.Bytes(m.Bytes))
	}
	t.Columns()
	t.Printf("\nbatch\t%s\ndata folder\t%s\n", s.Batch, s.Data)
	t.Printf("members\t%d of %d complete, %d failed\n", s.Complete, len(s.Members), s.Failed)
	for i := range s.Members {
		if m := &s.Members[i]; m.Error != "" {
			t.Printf("%s\t%s\n", m.Member, m.Error)
		}
	}
	return t.Bytes()
}

// Text is the report for people.
func (r *Report) Text(style render.Style) []byte {
	t := render.Sheet{Style: style}
	t.Columns()
	t.Printf("state\t%s\n", r.State)
	if r.Error != "" {
		t.Printf("error\t%s\n", r.Error)
	}
	return append(r.Status.Text(style), t.Bytes()...)
}
