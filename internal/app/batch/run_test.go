package batch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"pagoda/internal/app/cli"
	"pagoda/internal/kv"
	"pagoda/internal/output/render"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/plan"
)

const fourMembers = "base: {puzzle: peg, board: triangle5}\nmatrix: {start: [r0c0, r1c0, r2c0, r2c1]}\n"

// carried runs a batch of members that do nothing but give what result says, and returns their names in their order.
func carried(ctx context.Context, b *Batch, retry bool, result func(name string) error) ([]string, Tally, error) {
	var mu sync.Mutex
	var names []string
	t, err := b.Run(ctx, Options{
		Retry: retry, Begun: func(Tally) error { return nil }, Ended: func(*Member, Tally, error) {},
		Carry: func(_ context.Context, m *Member) error {
			mu.Lock()
			defer mu.Unlock()
			names = append(names, m.Name)
			return result(m.Name)
		},
	})
	return names, t, err
}

func TestFailuresAreSetAside(t *testing.T) {
	b, err := load(t, fourMembers)
	if err != nil {
		t.Fatal(err)
	}
	fail := func(names ...string) func(string) error {
		return func(name string) error {
			switch {
			case name == "r2c0" && slices.Contains(names, name): // others may need less
				return &cli.UsageError{Err: &plan.ResourceError{What: "memory"}}
			case slices.Contains(names, name):
				return errors.New("no luck")
			}
			return nil
		}
	}
	all := []string{"r0c0", "r1c0", "r2c0", "r2c1"}
	names, tally, err := carried(t.Context(), b, false, fail("r0c0", "r2c0"))
	if !slices.Equal(names, all) || tally.Complete != 2 || !slices.Equal(tally.Failed, []string{"r0c0", "r2c0"}) ||
		cli.Code(err) != cli.SomeFailed || err.Error() != "members have failed: 2 of 4 members: r0c0, r2c0" {
		t.Errorf("%v, %+v, %v", names, tally, err)
	}
	s, err := b.Status(t.Context())
	if err != nil || s.Failed != 2 || s.Members[0].State != "failed" || s.Members[0].Error != "no luck" ||
		s.Members[1].State != StateWaiting {
		t.Errorf("%+v, %v", s, err)
	}
	if said := string(s.Text(render.Style{})); !strings.Contains(said, "no luck\n") {
		t.Errorf("the status does not say why:\n%s", said)
	}
	names, tally, err = carried(t.Context(), b, false, fail())
	if !slices.Equal(names, []string{"r1c0", "r2c1"}) || len(tally.Failed) != 2 || cli.Code(err) != cli.SomeFailed {
		t.Errorf("without a request: %v, %+v, %v", names, tally, err)
	}
	names, tally, err = carried(t.Context(), b, true, fail("r2c0"))
	if !slices.Equal(names, all) || !slices.Equal(tally.Failed, []string{"r2c0"}) || cli.Code(err) != cli.SomeFailed {
		t.Errorf("on request: %v, %+v, %v", names, tally, err)
	}
	names, tally, err = carried(t.Context(), b, true, fail())
	if len(names) != 4 || tally.Complete != 4 || err != nil {
		t.Errorf("the last time: %v, %+v, %v", names, tally, err)
	}
	if list, err := b.failures(); err != nil || len(list) != 0 {
		t.Errorf("failures: %v, %v", list, err)
	}
}

// TestOtherParametersHaveNotFailed: a failure is of a run, and not of the name.
func TestOtherParametersHaveNotFailed(t *testing.T) {
	b, err := load(t, fourMembers)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := carried(t.Context(), b, false, func(string) error { return errors.New("x") }); err == nil {
		t.Fatal("nothing has failed")
	}
	b.Members[0].ID = "0123456789ab"
	if list, err := b.failures(); err != nil || len(list) != 3 {
		t.Errorf("%v, %v", list, err)
	}
	if err := os.WriteFile(filepath.Join(b.Dir, failuresName), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = b.Status(t.Context())
	if err == nil || !strings.Contains(err.Error(), "failed.json: not a list of failures") ||
		cli.Code(err) != cli.Usage {
		t.Error(err)
	}
}

// TestWhatStopsABatch: an error that every other member would meet stops the batch, and is no failure of the member.
func TestWhatStopsABatch(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
	}{
		{syscall.ENOSPC, cli.Stopped}, {kv.ErrLocked, cli.Usage}, {coordinator.ErrFenced, cli.Fenced},
		{&PoolError{errors.New("no queue")}, cli.Failed},
		{&cli.UsageError{Err: &plan.ResourceError{What: "disk"}}, cli.Usage},
	} {
		b, err := load(t, fourMembers)
		if err != nil {
			t.Fatal(err)
		}
		names, _, err := carried(t.Context(), b, false, func(name string) error {
			if name == "r1c0" {
				return c.err
			}
			return nil
		})
		if !slices.Equal(names, []string{"r0c0", "r1c0"}) || cli.Code(err) != c.code ||
			!strings.Contains(err.Error(), "member r1c0: ") || !strings.HasSuffix(err.Error(), ": 1 of 4 members complete") {
			t.Errorf("%v: %v, %v", c.err, names, err)
		}
		if list, err := b.failures(); err != nil || len(list) != 0 {
			t.Errorf("%v: failures %v, %v", c.err, list, err)
		}
	}
}

// TestBegunFails: a pool that cannot be opened ends the batch before its first member.
func TestBegunFails(t *testing.T) {
	b, err := load(t, fourMembers)
	if err != nil {
		t.Fatal(err)
	}
	lack := errors.New("no pool")
	_, err = b.Run(t.Context(), Options{
		Begun: func(Tally) error { return lack }, Ended: func(*Member, Tally, error) {},
		Carry: func(context.Context, *Member) error {
			t.Error("a member is carried out")
			return nil
		},
	})
	if !errors.Is(err, lack) {
		t.Error(err)
	}
}

func TestInterruptedBatch(t *testing.T) {
	b, err := load(t, fourMembers)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	names, _, err := carried(ctx, b, false, func(name string) error {
		if name == "r1c0" {
			cancel(cli.ErrInterrupted)
			return cli.ErrInterrupted
		}
		return nil
	})
	if !slices.Equal(names, []string{"r0c0", "r1c0"}) || cli.Code(err) != cli.Interrupted ||
		err.Error() != "interrupted: 1 of 4 members complete" {
		t.Errorf("%v, %v", names, err)
	}
	// The interrupt that comes with the end of the last member changes nothing.
	ctx, cancel = context.WithCancelCause(t.Context())
	if _, _, err := carried(ctx, b, false, func(name string) error {
		if name == "r2c1" {
			cancel(cli.ErrInterrupted)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// TestAtATime has members wait until as many are under way as may be, and sees no more.
func TestAtATime(t *testing.T) {
	b, err := load(t, fourMembers+"at_a_time: 3\n")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	underWay, most, begun := 0, 0, 0
	full := make(chan struct{})
	_, err = b.Run(t.Context(), Options{
		Begun: func(Tally) error { return nil }, Ended: func(*Member, Tally, error) {},
		Carry: func(context.Context, *Member) error {
			mu.Lock()
			begun++
			underWay++
			most = max(most, underWay)
			if begun == 3 {
				close(full)
			}
			mu.Unlock()
			<-full
			mu.Lock()
			underWay--
			mu.Unlock()
			return nil
		},
	})
	if err != nil || most != 3 || begun != 4 {
		t.Errorf("%d of %d at a time: %v", most, begun, err)
	}
}

// TestOneProcess: a folder of a batch has one process, and is no data folder of a run.
func TestOneProcess(t *testing.T) {
	b, err := load(t, fourMembers)
	if err != nil {
		t.Fatal(err)
	}
	lock, err := kv.Lock(b.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := carried(t.Context(), b, false, func(string) error { return nil }); !errors.Is(err, kv.ErrLocked) {
		t.Error(err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.Dir, "run.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = b.Status(t.Context())
	if cli.Code(err) != cli.Usage || !strings.Contains(err.Error(), "data folder of a run") {
		t.Error(err)
	}
}
