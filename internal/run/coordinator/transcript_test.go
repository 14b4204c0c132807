package coordinator

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/attempt"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/status"
)

// transcript is a coordinator that hears the words of workers line by line, and tells of its deeds. The puzzle is a
// grid, whose window L/aN/0 has the parents (L-1)/a(N-1)/0 and (L-1)/aN/0. All workers compute one window at a time.
//
//	run grid=N [locality] [audit=SHARE] [alone]  a run of 2N-1 layers
//	    [attempts=N] [keep=POLICY] [closed] [archive]
//	    [replication=N] [rows=BYTES]             each cell is predicted to take so many bytes; 0 unless given
//	join W... [holds=ID...]                      workers join, with empty disks, or with windows on them
//	    [disk=ID free=BYTES]
//	beat W... [disk=ID free=BYTES]               they say how they are; without a disk, nothing of theirs
//	    [fetched=BYTES]
//	disks                                        what the status says of them
//	leave W                                      a worker says that it leaves, and goes
//	drain W [settled]                            a worker says that it takes no more tasks, or that it has none in hand
//	done W ID... [wrong] [unasked|repeated]      W reports windows as computed
//	failed W ID... [KIND] [report=N]             W could not compute them
//	    [unasked|repeated]
//	missing W ID PARENT HOLDER... [unreachable]  W could not read a parent from its holders
//	finds W=served|absent|away...                what the coordinator finds when it reads the copies of holders
//	computed ID                                  the coordinator has computed a window itself
//	fails ID                                     the coordinator could not compute a window
//	queue there|away|empty                       the queue's answers from now on
//	wait DURATION [silent=W]                     time passes; all other workers beat
//	again [audit=SHARE]                          the next coordinator goes on with the ledger
//	state                                        tasks, budgets, windows set aside, and those in the ledger
type transcript struct {
	*led
	p        *plantest.Paper
	o        Options
	out      strings.Builder
	finds    map[string]error
	told     map[string]bool                // tasks
	had      map[string]protocol.TaskWindow // the latest of each worker and window
	assigned map[string]bool                // windows and workers of Assigned
	toldOwn  int
	toldOver bool
}

func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var s *transcript
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "run" {
				s = newTranscript(t, d)
			}
			s.t = t
			s.out.Reset()
			s.command(d)
			s.tellTasks()
			return cmp.Or(s.out.String(), "nothing\n")
		})
	})
}

func newTranscript(t *testing.T, d *datadriven.TestData) *transcript {
	s := &transcript{led: &led{t: t, now: time.Unix(1000, 0), ledger: openLedger(t)},
		finds: make(map[string]error), told: make(map[string]bool), assigned: make(map[string]bool),
		had: make(map[string]protocol.TaskWindow)}
	size := 0
	d.ScanArgs(t, "grid", &size)
	s.p = plantest.Grid(size)
	var rows float64
	d.MaybeScanArgs(t, "rows", &rows)
	for _, layer := range s.p.Layers {
		for i := range layer {
			layer[i].RowBytes = rows
		}
	}
	s.audit(d)
	d.MaybeScanArgs(t, "attempts", &s.o.MaxAttempts)
	d.MaybeScanArgs(t, "keep", (*string)(&s.o.Retention))
	d.MaybeScanArgs(t, "replication", &s.o.Fleet.Replication)
	if d.HasArg("archive") {
		s.o.Fleet.Archive = func(context.Context, func([]protocol.Archived)) error { return nil }
	}
	s.o.TaskTime = 1 // each window is a task
	s.o.AuditAlone, s.o.Fleet.Locality, s.o.Fleet.Closed = d.HasArg("alone"), d.HasArg("locality"), d.HasArg("closed")
	s.o.Check = func(_ context.Context, lw protocol.LocatedWindow) error { return s.finds[lw.Holders[0].Name] }
	tell := reflect.ValueOf(&s.o.Events).Elem()
	for i := range tell.NumField() {
		name := tell.Type().Field(i).Name
		tell.Field(i).Set(reflect.MakeFunc(tell.Field(i).Type(), func(args []reflect.Value) []reflect.Value {
			s.event(name, args[0].Interface())
			return nil
		}))
	}
	s.begin()
	return s
}

// audit reads the share of windows that are audited.
func (s *transcript) audit(d *datadriven.TestData) {
	share := "0"
	d.MaybeScanArgs(s.t, "audit", &share)
	var err error
	if s.o.AuditFraction, err = strconv.ParseFloat(share, 64); err != nil {
		s.t.Fatal(err)
	}
}

// begin starts a coordinator. Its secret is always the same, so that it draws the same audits.
func (s *transcript) begin() {
	s.start(s.recorded(s.p, true), s.o)
	s.c.doubt.Marker = attempt.NewMarker([]byte("secret"))
}

// event tells of an event, by the fields that a reader of a transcript needs.
func (s *transcript) event(name string, e any) {
	switch e := e.(type) {
	case Resumed, Planned, LayerDone, Dropped:
		return
	case Assigned: // tellTasks tells of the tasks
		for _, w := range e.Windows {
			s.assigned[w.ID().String()+" "+e.Worker] = true
		}
	case Audited:
		s.tell("compared %s: %s agrees", e.Window, e.Worker)
	case Copied:
		s.tell("copied %s to %s", e.Window, e.Worker)
	case Committed:
		text := ""
		if e.Again {
			text = " again"
		}
		if e.Moved > 0 {
			text += fmt.Sprintf(", with %d bytes of others", e.Moved)
		}
		s.tell("committed %s by %s%s", e.Window, e.Worker, text)
	case Retry:
		s.tell("retry %s: attempt %d failed on %s", e.Window, e.Attempt, e.Worker)
	case Lost:
		s.tell("lost %s: %s", e.Window, e.Worker)
	case Quarantined:
		s.tell("set aside %s after %d attempts", e.Window, e.Attempts)
	case ReportRefused:
		s.tell("passed over %d of %s: %s", e.Windows, e.Worker, e.Reason)
	case Refused:
		for _, r := range e.Workers {
			s.tell("refused %s: window %s: %s", r.Worker, r.Window, r.Reason)
		}
		s.tell("%d windows forgotten, %d to be compared", e.Forgotten, e.Audits)
	case WorkerJoined:
		text := ""
		if e.Held+e.Missing+e.Cancelled > 0 {
			text = fmt.Sprintf(": %d windows held, %d missing, %d again, %d cancelled", e.Held, e.Missing, e.Again, e.Cancelled)
		}
		s.tell("joined %s%s", e.Worker, text)
	case WorkerDrains:
		s.tell("%s drains: %d to copy, alone %t, archive %t", e.Worker, e.ToCopy, e.Alone, e.Archive)
	case WorkerLost:
		s.tell("gone %s: left %t, unserved %t, %d windows only there, %d again, %d lost so far",
			e.Worker, e.Left, e.Unserved, e.Windows, e.Again, s.c.counts.workersLost)
	case Stalled:
		s.tell("taken from %s: %d tasks", e.Worker, e.Tasks)
	case status.Disks:
		s.disks(&e)
	case SetAside:
		s.tell("in reserve %s", e.Worker)
	default:
		s.tell("%s %+v", strings.ToLower(name), e)
	}
}

func (s *transcript) tell(format string, args ...any) { fmt.Fprintf(&s.out, format+"\n", args...) }

// tellTasks tells of the tasks that were given out since, and of the windows that the coordinator computes itself. They
// stay, to be reported.
func (s *transcript) tellTasks() {
	for _, task := range s.tasks {
		if s.told[task.ID] {
			continue
		}
		s.told[task.ID] = true
		for _, w := range task.Windows {
			kind := ""
			if w.Audit {
				kind = " to compare"
			}
			if w.Copy != nil {
				kind = " to copy from"
				for _, h := range w.Copy.Holders {
					kind += " " + h.Name
				}
			}
			s.tell("task %s for %s%s", w.ID(), cmp.Or(task.To, "any"), kind)
			s.checkAssigned(w.ID().String(), task.To)
		}
	}
	for _, w := range s.own[s.toldOwn:] {
		s.tell("here %s", w.ID())
		s.checkAssigned(w.ID().String(), protocol.OwnWorker)
	}
	s.toldOwn = len(s.own)
	if over, err := s.Over(); over && !s.toldOver {
		s.toldOver = true
		s.tell("over: %s", cmp.Or(errorText(err), "complete"))
	}
}

// checkAssigned demands that an event has told of the assignment of a window.
func (s *transcript) checkAssigned(window, worker string) {
	if !s.assigned[window+" "+worker] {
		s.t.Errorf("no event says that window %s was given to %q", window, worker)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// command carries out a line.
func (s *transcript) command(d *datadriven.TestData) {
	var words []string
	options := make(map[string][]string)
	for _, a := range d.CmdArgs {
		if len(a.Vals) > 0 {
			options[a.Key] = a.Vals
		} else {
			words = append(words, a.Key)
		}
	}
	has := func(word string) bool { return slices.Contains(words, word) }
	switch d.Cmd {
	case "run":
	case "join":
		for _, name := range words {
			j := brings(name)
			j.Concurrency, j.Disk = 1, disk(s.t, d)
			for _, id := range options["holds"] {
				j.Held = append(j.Held, protocol.Held{Window: s.windowOf(id)})
			}
			if out := s.Join(s.t.Context(), j); out.Error != "" {
				s.tell("answer: %s", out.Error)
			}
		}
	case "beat":
		for _, name := range words {
			s.c.heartbeat(s.t.Context(), &protocol.Heartbeat{
				Run: paperRun, Worker: name, Incarnation: "i", Epoch: s.c.o.Epoch, Disk: disk(s.t, d),
			})
		}
	case "disks":
		if now := s.c.state().Disks; now != nil {
			s.disks(now)
		}
	case "leave":
		s.c.heartbeat(s.t.Context(), &protocol.Heartbeat{
			Run: paperRun, Worker: words[0], Incarnation: "i", Epoch: s.c.o.Epoch, Leaving: true,
		})
	case "drain":
		r := s.c.heartbeat(s.t.Context(), &protocol.Heartbeat{
			Run: paperRun, Worker: words[0], Incarnation: "i", Epoch: s.c.o.Epoch, Draining: true, Leaving: has("settled"),
		})
		s.tell("answer: %d to copy, alone %t", r.ToCopy, r.Alone)
	case "done", "failed":
		s.reportWindows(d, words[0], words[1:], has)
	case "missing":
		tw := s.give(words[0], words[1], has)
		f := unread(&tw, s.windowOf(words[2]), words[3:]...)
		if f.Unreachable = has("unreachable"); f.Unreachable {
			f.Holders = f.Holders[:len(f.Holders)-1] // the last word
		}
		s.answer(s.report(words[0], protocol.Report{Failures: []protocol.Failure{f}}))
		for s.c.failures.Checks() > 0 {
			(<-s.c.calls)()
		}
	case "finds":
		for name, what := range options {
			s.finds[name] = map[string]error{"absent": kv.ErrNotFound, "away": protocol.ErrUnreachable}[what[0]]
		}
	case "computed":
		tw := protocol.TaskWindow{Window: s.windowOf(words[0])}
		s.Recomputed(s.t.Context(), rows(&tw).Record)
	case "fails":
		w := s.windowOf(words[0])
		s.c.endOwn(s.t.Context(), w.ID(), nil, &protocol.Failure{Window: w, Kind: protocol.FailError, Text: "broken"})
	case "queue":
		s.queueErr, s.queueEmpty = map[string]error{"away": protocol.ErrQueueDown}[words[0]], words[0] == "empty"
	case "wait":
		long, err := time.ParseDuration(words[0])
		if err != nil {
			s.t.Fatal(err)
		}
		s.wait(long, options["silent"]...)
	case "again":
		s.audit(d)
		s.tasks, s.own, s.toldOwn, s.toldOver = nil, nil, 0, false
		s.o.Epoch = s.c.o.Epoch + 1
		s.begin()
	case "state":
		s.state()
	default:
		s.t.Fatalf("%s: no such command", d.Cmd)
	}
}

// disk is the disk of which a line tells.
func disk(t *testing.T, d *datadriven.TestData) *protocol.Disk {
	var out protocol.Disk
	d.MaybeScanArgs(t, "disk", &out.ID)
	d.MaybeScanArgs(t, "free", &out.Free)
	d.MaybeScanArgs(t, "fetched", &out.Fetched)
	if out.ID == "" {
		return nil
	}
	return &out
}

// disks tells how the rows go with the disks.
func (s *transcript) disks(d *status.Disks) {
	s.tell("fits %t: %d bytes, room for %d on %d disks of %d workers, more layers %t", d.Fits, d.NeedBytes, d.RoomBytes,
		d.Disks, d.Workers, d.MoreLayers)
}

// windowOf returns the window with that name.
func (s *transcript) windowOf(name string) puzzle.Window {
	layer, rest, _ := strings.Cut(name, "/")
	n, err := strconv.Atoi(layer)
	if err != nil {
		s.t.Fatal(err)
	}
	key, _, _ := strings.Cut(rest, "/")
	return puzzle.Window{Cell: puzzle.Cell{Layer: n, Key: key}, Addresses: 10}
}

// give takes the latest task with a window away that a worker may carry out. An unasked worker has none, and one that
// repeats its report has had it.
func (s *transcript) give(worker, name string, has func(string) bool) protocol.TaskWindow {
	switch {
	case has("unasked"):
		return protocol.TaskWindow{Window: s.windowOf(name)}
	case has("repeated"):
		return s.had[worker+name]
	}
	for i, task := range slices.Backward(s.tasks) {
		for j, w := range task.Windows {
			if w.ID().String() == name && (task.To == "" || task.To == worker) {
				s.tasks[i].Windows = slices.Concat(task.Windows[:j], task.Windows[j+1:])
				s.had[worker+name] = w
				return w
			}
		}
	}
	s.t.Fatalf("%s has no task with window %s", worker, name)
	return protocol.TaskWindow{}
}

// reportWindows has a worker report some windows.
func (s *transcript) reportWindows(d *datadriven.TestData, worker string, words []string, has func(string) bool) {
	var r protocol.Report
	d.MaybeScanArgs(s.t, "report", &r.Number)
	for _, name := range words {
		if !strings.Contains(name, "/") {
			continue
		}
		tw := s.give(worker, name, has)
		if d.Cmd == "failed" {
			kind := protocol.FailError
			for _, k := range []string{protocol.FailCopy, protocol.FailDiskFull, protocol.FailOverflow, protocol.FailForeign} {
				if has(k) {
					kind = k
				}
			}
			r.Failures = append(r.Failures, protocol.Failure{
				Window: tw.Window, Kind: kind, Text: "broken", Attempt: tw.Attempt,
			})
			continue
		}
		computed := rows(&tw)
		if has("wrong") {
			computed.Record.Digest[0]++
		}
		r.Done = append(r.Done, computed)
	}
	s.answer(s.report(worker, r))
}

func (s *transcript) answer(r protocol.Reply) {
	if r != (protocol.Reply{}) {
		s.tell("answer: %s", cmp.Or(r.Error, r.Refused, "join again"))
	}
}

// state tells of the tasks that workers have, of their budgets, and of the ledger.
func (s *transcript) state() {
	for _, name := range slices.Sorted(maps.Keys(maps.Collect(s.c.members.All()))) {
		s.tell("%s: %d tasks, patience %v for tasks and %v for rows", name, s.c.account.Load(name).Tasks,
			s.c.members.Costs.Tasks(name).TaskPatience(), s.c.members.Costs.Serving(name).ReadPatience())
	}
	for _, q := range s.c.state().Quarantined {
		s.tell("set aside %s after %d attempts: %s", q.Window, q.Attempts, q.Error)
	}
	err := s.ledger.Load(func(e kv.Entry) error {
		s.tell("ledger %s: computed by %s, held by %s", e.Record.ID(), cmp.Or(strings.Join(e.By, " "), "-"),
			cmp.Or(strings.Join(e.Holders, " "), "-"))
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if due := s.due(); len(due) > 0 {
		s.tell("to be compared: %v", due)
	}
}
