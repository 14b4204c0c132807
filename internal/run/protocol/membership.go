package protocol

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/run/address"
)

// Limits of messages about membership.
const (
	MaxJoinBytes      = 512 << 10 // of an encoded Join, and of its JoinResponse
	MaxHeartbeatBytes = 4 << 10   // of an encoded Heartbeat, and of its HeartbeatResponse
	MaxDropBytes      = 512 << 10 // of an encoded Drop
	MaxAnnounced      = 256 << 10 // of an encoded Announcement
	MaxHeldPage       = 1000      // windows of one Join
	MaxDoing          = 16        // windows that a Heartbeat names
	MaxRuns           = 1 << 16   // runs that a worker says it serves
	MaxDropPage       = 1000      // windows of one Drop
	MaxConcurrency    = 1 << 16   // of a worker
	maxAddressLen     = 262       // a DNS name, a colon and a port
	maxProgramLen     = 128       // of the version of a program
)

// A Peer is a worker with the address from which others fetch its windows.
type Peer struct {
	Name    string `json:"name"`
	Address string `json:"address,omitempty"` // host:port of its transfer server; "" when all are in one process
	// Patience is how long a reader waits for its next block, in milliseconds; 0 leaves it to the reader.
	Patience int `json:"patience,omitempty"`
}

// Wait is how long a reader waits for the next block of the worker that would wait for most.
func (p *Peer) Wait(most time.Duration) time.Duration {
	if p.Patience == 0 {
		return most
	}
	return min(most, time.Duration(p.Patience)*time.Millisecond)
}

func (p *Peer) check() error {
	if !ValidWorker(p.Name) {
		return fmt.Errorf("%w: %.40q is no worker name", ErrMessage, p.Name)
	}
	return checkAddress(p.Address)
}

// checkAddress returns an error for an address that cannot be dialled; no address is right.
func checkAddress(s string) error {
	if s == "" {
		return nil
	}
	if _, _, err := address.Dial(s); err != nil || len(s) > maxAddressLen {
		return fmt.Errorf("%w: %.80q is no address of the form host:port", ErrMessage, s)
	}
	return nil
}

// Held is a window on a worker's disk.
type Held struct {
	Window puzzle.Window `json:"window"`
	Digest blocks.Digest `json:"digest"`
}

// A Join introduces a worker to a coordinator, with all windows that it holds, in pages: all but the last say that more
// follows. A worker joins when it starts, and again whenever it is told to.
type Join struct {
	Version int    `json:"version"` // see Version
	Run     string `json:"run"`
	Worker  string `json:"worker"`
	Program string `json:"program,omitempty"` // version of the worker's program, for people
	// Incarnation is drawn at random by each process, so that two of one name are told apart.
	Incarnation string `json:"incarnation"`
	Concurrency int    `json:"concurrency"`
	Address     string `json:"address,omitempty"` // of its transfer server, see Peer
	Disk        *Disk  `json:"disk,omitempty"`    // nil: not known
	Held        []Held `json:"held,omitempty"`
	Page        int    `json:"page"`  // 0 for the first; it starts the inventory anew
	Epoch       uint64 `json:"epoch"` // the highest that the worker has seen
	More        bool   `json:"more,omitempty"`
}

// A JoinResponse answers a Join.
type JoinResponse struct {
	Error string `json:"error,omitempty"` // why it was not taken; unless Stop is set, the worker begins again
	Stop  bool   `json:"stop,omitempty"`  // the run is over: with Error it has failed
	Epoch uint64 `json:"epoch"`           // of the coordinator that answers
	// BeatMillis is the time between the worker's heartbeats, for a coordinator that waits less for a silent worker than
	// is usual; 0: HeartbeatInterval.
	BeatMillis int64 `json:"beat_ms,omitempty"`
	// Drop names the windows of the page that the worker should remove: they are not in the plan, differ from the ledger,
	// or have no further readers.
	Drop []puzzle.WindowID `json:"drop,omitempty"`
}

// HeartbeatInterval is the time between heartbeats, unless a JoinResponse has another.
const HeartbeatInterval = 2 * time.Second

// A Heartbeat says that a worker lives.
type Heartbeat struct {
	Run         string `json:"run"`
	Worker      string `json:"worker"`
	Incarnation string `json:"incarnation"`
	Epoch       uint64 `json:"epoch"` // the highest that the worker has seen
	Busy        int    `json:"busy"`  // slots that compute
	Moved       uint64 `json:"moved"` // bytes fetched from others since the process started
	// Runs is how many runs the worker's process serves, 0 for one. Like Doing it is for people.
	Runs int `json:"runs,omitempty"`
	// Doing has the windows that the worker works on, oldest first: the first MaxDoing of them. It is for people; nothing
	// that the coordinator does depends on it.
	Doing []Doing `json:"doing,omitempty"`
	Disk  *Disk   `json:"disk,omitempty"` // nil: not known
	// Leaving says that the worker takes no more tasks and has none in hand. It may come back with its windows.
	Leaving bool `json:"leaving,omitempty"`
	// Draining says that the worker takes no more tasks and finishes those in hand. It serves its rows until the answer
	// to one that is Leaving too has no ToCopy. One that is Leaving and not Draining has gone.
	Draining bool `json:"draining,omitempty"`
	// Unfit says why the worker cannot take part in the run, for people, and Program which version it is of. Such a worker
	// has not joined, and tells its coordinator from time to time.
	Unfit   string `json:"unfit,omitempty"`
	Program string `json:"program,omitempty"`
}

// Doing is a window that a worker works on.
type Doing struct {
	Window puzzle.WindowID `json:"window"`
	Copy   bool            `json:"copy,omitempty"` // it is brought from another worker, and not computed
	Millis int64           `json:"ms"`             // since the worker has begun it
}

// A HeartbeatResponse answers a Heartbeat.
type HeartbeatResponse struct {
	Error  string `json:"error,omitempty"`
	Stop   bool   `json:"stop,omitempty"`   // the run is over: with Error it has failed
	Rejoin bool   `json:"rejoin,omitempty"` // the coordinator does not know this worker, or not in this epoch
	Epoch  uint64 `json:"epoch"`
	// QueueDown says why the coordinator cannot use the queue, so that no tasks come; "" when it can. It is for people.
	QueueDown string `json:"queue_down,omitempty"`
	// ToCopy counts the windows of a draining worker that others are still to copy. Alone says that no other worker is
	// there to copy them; it is for people. A coordinator of an earlier program says neither.
	ToCopy int  `json:"to_copy,omitempty"`
	Alone  bool `json:"alone,omitempty"`
}

// A Drop tells all workers to remove windows whose rows have no further readers. It may be lost: a JoinResponse tells
// again. One without windows asks for a heartbeat, because there is news for all workers.
type Drop struct {
	Run     string            `json:"run"`
	Epoch   uint64            `json:"epoch"`
	Windows []puzzle.WindowID `json:"windows"`
	// Unread: their rows stay on disk, and only need not be kept decoded.
	Unread bool `json:"unread,omitempty"`
}

// An Announcement says which coordinator drives a run. Coordinators send it every 2 s, when they start and when they
// end, and whenever a process asks.
type Announcement struct {
	Run      string `json:"run"`
	Epoch    uint64 `json:"epoch"`
	Instance string `json:"instance"` // drawn at random by each coordinator process
	// Config is the text from which a worker builds the puzzle; its identity must give the run's ID.
	Config string `json:"config"`
	Versions
	Over  bool   `json:"over,omitempty"`
	Error string `json:"error,omitempty"` // why the run failed, when it is over
}

// Encode writes m as JSON.
func (m *Join) Encode() ([]byte, error) { return json.Marshal(m) }

// DecodeJoin reads what Encode wrote. Errors wrap ErrMessage, or ErrVersion when a join of another version cannot be
// read; that of one which can be is for the coordinator to check.
func DecodeJoin(b []byte) (m Join, err error) {
	if err := decode(b, &m, MaxJoinBytes); err != nil {
		if len(b) <= MaxJoinBytes {
			err = versionOf(b, err)
		}
		return Join{}, err
	}
	return m, m.check()
}

func (m *Join) check() error {
	if err := checkWho(m.Run, m.Worker, m.Incarnation); err != nil {
		return err
	}
	if m.Concurrency < 0 || m.Concurrency > MaxConcurrency || m.Page < 0 || len(m.Held) > MaxHeldPage {
		return fmt.Errorf("%w: worker %s joins with %d slots and page %d of %d windows",
			ErrMessage, m.Worker, m.Concurrency, m.Page, len(m.Held))
	}
	for i := range m.Held {
		if err := checkWindow(m.Held[i].Window); err != nil {
			return err
		}
	}
	if err := cmp.Or(checkEpoch(m.Epoch), checkText(m.Program, maxProgramLen), m.Disk.check()); err != nil {
		return err
	}
	return checkAddress(m.Address)
}

// checkText returns an error for a text that a line for people cannot show.
func checkText(s string, limit int) error {
	if len(s) > limit || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Errorf("%w: %.40q is no line of at most %d bytes", ErrMessage, s, limit)
	}
	return nil
}

// Encode writes m as JSON.
func (m *JoinResponse) Encode() ([]byte, error) { return json.Marshal(m) }

// DecodeJoinResponse reads what Encode wrote. Errors wrap ErrMessage.
func DecodeJoinResponse(b []byte) (m JoinResponse, err error) {
	if err := decode(b, &m, MaxJoinBytes); err != nil {
		return JoinResponse{}, err
	}
	if err := checkEpoch(m.Epoch); err != nil {
		return JoinResponse{}, err
	}
	if m.BeatMillis < 0 || m.BeatMillis > HeartbeatInterval.Milliseconds() {
		return JoinResponse{}, fmt.Errorf("%w: heartbeats every %d ms", ErrMessage, m.BeatMillis)
	}
	return m, checkIDs(m.Drop, MaxHeldPage)
}

// Encode writes m as JSON.
func (m *Heartbeat) Encode() ([]byte, error) { return json.Marshal(m) }

// DecodeHeartbeat reads what Encode wrote. Errors wrap ErrMessage.
func DecodeHeartbeat(b []byte) (m Heartbeat, err error) {
	if err := decode(b, &m, MaxHeartbeatBytes); err != nil {
		return Heartbeat{}, err
	}
	if m.Busy < 0 || m.Busy > MaxConcurrency {
		return Heartbeat{}, fmt.Errorf("%w: %d busy slots", ErrMessage, m.Busy)
	}
	if m.Runs < 0 || m.Runs > MaxRuns {
		return Heartbeat{}, fmt.Errorf("%w: a worker of %d runs", ErrMessage, m.Runs)
	}
	if err := checkEpoch(m.Epoch); err != nil {
		return Heartbeat{}, err
	}
	text := cmp.Or(checkText(m.Unfit, 2*maxErrorLen), checkText(m.Program, maxProgramLen))
	if err := cmp.Or(checkDoing(m.Doing), text, m.Disk.check()); err != nil {
		return Heartbeat{}, err
	}
	return m, checkWho(m.Run, m.Worker, m.Incarnation)
}

// Encode writes m as JSON.
func (m *HeartbeatResponse) Encode() ([]byte, error) { return json.Marshal(m) }

// DecodeHeartbeatResponse reads what Encode wrote. Errors wrap ErrMessage.
func DecodeHeartbeatResponse(b []byte) (m HeartbeatResponse, err error) {
	if err := decode(b, &m, MaxHeartbeatBytes); err != nil {
		return HeartbeatResponse{}, err
	}
	if m.ToCopy < 0 {
		return HeartbeatResponse{}, fmt.Errorf("%w: %d windows to copy", ErrMessage, m.ToCopy)
	}
	return m, checkEpoch(m.Epoch)
}

// Encode writes m as JSON.
func (m *Drop) Encode() ([]byte, error) { return json.Marshal(m) }

// DecodeDrop reads what Encode wrote. Errors wrap ErrMessage.
func DecodeDrop(b []byte) (m Drop, err error) {
	if err := decode(b, &m, MaxDropBytes); err != nil {
		return Drop{}, err
	}
	if !ValidRun(m.Run) {
		return Drop{}, fmt.Errorf("%w: %.80q is no run ID", ErrMessage, m.Run)
	}
	if err := checkEpoch(m.Epoch); err != nil {
		return Drop{}, err
	}
	return m, checkIDs(m.Windows, MaxDropPage)
}

// Encode writes m as JSON.
func (m *Announcement) Encode() ([]byte, error) { return json.Marshal(m) }

// DecodeAnnouncement reads what Encode wrote. Errors wrap ErrMessage.
func DecodeAnnouncement(b []byte) (m Announcement, err error) {
	if err := decode(b, &m, MaxAnnounced); err != nil {
		return Announcement{}, err
	}
	if !ValidRun(m.Run) || !validName(m.Instance, maxNameLen) {
		return Announcement{}, fmt.Errorf("%w: announcement of run %.80q by %.80q", ErrMessage, m.Run, m.Instance)
	}
	return m, cmp.Or(checkEpoch(m.Epoch), checkText(m.Program, maxProgramLen))
}

func checkWho(run, worker, incarnation string) error {
	switch {
	case !ValidRun(run):
		return fmt.Errorf("%w: %.80q is no run ID", ErrMessage, run)
	case !ValidWorker(worker):
		return fmt.Errorf("%w: %.40q is no worker name", ErrMessage, worker)
	case !validName(incarnation, maxNameLen):
		return fmt.Errorf("%w: %.40q is no incarnation of worker %s", ErrMessage, incarnation, worker)
	}
	return nil
}

// maxMillis bounds how long a window is worked on: ten years.
const maxMillis = 10 * 365 * 24 * 3600 * 1000

func checkDoing(list []Doing) error {
	if len(list) > MaxDoing {
		return fmt.Errorf("%w: %d windows at work, at most %d are named", ErrMessage, len(list), MaxDoing)
	}
	for i := range list {
		d := &list[i]
		if d.Millis < 0 || d.Millis > maxMillis {
			return fmt.Errorf("%w: window %s at work for %d ms", ErrMessage, d.Window, d.Millis)
		}
		if err := checkWindow(puzzle.Window{Cell: d.Window.Cell, Part: d.Window.Part, Addresses: 1}); err != nil {
			return err
		}
	}
	return nil
}

func checkIDs(ids []puzzle.WindowID, limit int) error {
	if len(ids) > limit {
		return fmt.Errorf("%w: %d windows, at most %d are allowed", ErrMessage, len(ids), limit)
	}
	for _, id := range ids {
		if err := checkWindow(puzzle.Window{Cell: id.Cell, Part: id.Part, Addresses: 1}); err != nil {
			return err
		}
	}
	return nil
}
