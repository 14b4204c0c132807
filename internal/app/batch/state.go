package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"pagoda/internal/app/cli"
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
	Data     string     `json:"data"`
	Complete int        `json:"complete"`
	Failed   int        `json:"failed"`
	Members  []Standing `json:"members"`
}

// Status says how far the batch is.
func (b *Batch) Status(ctx context.Context) (*Status, error) {
	members, err := b.Standings(ctx)
	s := &Status{Batch: b.Name, Data: b.Dir, Members: members}
	for i := range members {
		switch members[i].State {
		case status.StateComplete:
			s.Complete++
		case status.StateFailed:
			s.Failed++
		}
	}
	return s, err
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
