package puzzle

import (
	"fmt"
	"strconv"
	"strings"
)

// A Cell is a set of positions with an address space of its own: for peg solitaire the positions of one class-count
// vector (up to symmetry). Key is the puzzle's name for it, unique in its layer, of the form [a-z0-9][a-z0-9._-]{0,62}.
type Cell struct {
	Layer int    `json:"layer"`
	Key   string `json:"cell"`
}

// A CellPlan describes a cell before it is computed.
type CellPlan struct {
	Cell
	// Addresses is the size of the address space: addresses are 0..Addresses-1, not all of them need have a row. At least
	// 1.
	Addresses uint64
	// Cuts are the first addresses of the windows, ascending, Cuts[0] == 0. They depend on the parameters of the run
	// only.
	Cuts []uint64
	// Parents are the cells that windows of this cell read.
	Parents []Cell
	// Flows says that everything which the parents pass to this cell is counted on both sides, in Tally.In of its windows
	// and in Tally.Out of theirs; a flow that is not mentioned is 0. Without it only those edges are compared of which
	// both ends count some flow.
	Flows bool
	// Work predicts the elementary steps (updates) that the cell takes.
	Work float64
	// MemoryBytes bounds the memory of computing one window of the cell, parents included.
	MemoryBytes uint64
	// WindowBytes bounds it for every window, where they differ; else it is nil.
	WindowBytes []uint64
	// LeastBytes is the memory with which a window can still be computed, more slowly, where Source.MemoryBytes is below
	// MemoryBytes; 0 means that it cannot do with less. It is at most MemoryBytes.
	LeastBytes uint64
	// SharedBytes is the memory of the values that windows of the cell share in the cache, where it has room for them; 0
	// where the usual cache does. It is no part of MemoryBytes, and windows are computed without it.
	SharedBytes uint64
	// RowBytes predicts the stored size of the cell's rows in bytes.
	RowBytes float64
}

// Windows returns the number of windows of the cell.
func (p *CellPlan) Windows() int { return len(p.Cuts) }

// Window returns window i of the cell.
func (p *CellPlan) Window(i int) Window {
	end := p.Addresses
	if i+1 < len(p.Cuts) {
		end = p.Cuts[i+1]
	}
	return Window{Cell: p.Cell, Part: i, First: p.Cuts[i], Addresses: end - p.Cuts[i]}
}

// Share is the part of the cell's work that a window has by its addresses. The last window of a cell may be far smaller
// than the others.
func (p *CellPlan) Share(w Window) float64 {
	return p.Work * float64(w.Addresses) / float64(p.Addresses)
}

// Memory bounds the memory of computing window i, in bytes, by WindowBytes or MemoryBytes.
func (p *CellPlan) Memory(i int) uint64 {
	if i >= 0 && i < len(p.WindowBytes) {
		return p.WindowBytes[i]
	}
	return p.MemoryBytes
}

// A Window is an address range of a cell, [First, First+Addresses): the unit of work, storage, transfer and resume.
type Window struct {
	Cell
	Part      int    `json:"part"`
	First     uint64 `json:"first"`
	Addresses uint64 `json:"addresses"`
}

// ID names a window in a run.
func (w Window) ID() WindowID { return WindowID{w.Cell, w.Part} }

func (w Window) String() string { return w.ID().String() }

// WindowID names a window in a run, without its address range.
type WindowID struct {
	Cell
	Part int `json:"part"`
}

// String is the form used in messages, logs and keys, such as "7/12.8.8.4/0": layer, cell, part.
func (id WindowID) String() string {
	return strconv.Itoa(id.Layer) + "/" + id.Key + "/" + strconv.Itoa(id.Part)
}

const maxKeyBytes = 63

// ValidKey reports whether s can be the key of a cell: up to 63 lower-case letters, digits, points, dashes and
// underscores, the first a letter or digit. Every window is asked about often, so this is no regular expression.
func ValidKey(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
		case i > 0 && (c == '.' || c == '_' || c == '-'):
		default:
			return false
		}
	}
	return s != "" && len(s) <= maxKeyBytes
}

// ParseWindowID reads the output of WindowID.String, and nothing else.
func ParseWindowID(s string) (WindowID, error) {
	f := strings.Split(s, "/")
	if len(f) == 3 && ValidKey(f[1]) {
		l, err1 := strconv.ParseUint(f[0], 10, 31)
		p, err2 := strconv.ParseUint(f[2], 10, 31)
		id := WindowID{Cell{int(l), f[1]}, int(p)}
		if err1 == nil && err2 == nil && id.String() == s {
			return id, nil
		}
	}
	return WindowID{}, fmt.Errorf("%q is not a window name such as 7/12.8.8.4/0", s)
}

// A MissingError says which window could not be read. It wraps ErrMissing.
type MissingError struct {
	Window WindowID
	Cause  error
}

func (e *MissingError) Error() string {
	if e.Cause == nil {
		return fmt.Sprintf("window %s: %v", e.Window, ErrMissing)
	}
	return fmt.Sprintf("window %s: %v: %v", e.Window, ErrMissing, e.Cause)
}

// Unwrap makes errors.Is(err, ErrMissing) hold, and reaches the cause.
func (e *MissingError) Unwrap() []error {
	if e.Cause == nil {
		return []error{ErrMissing}
	}
	return []error{ErrMissing, e.Cause}
}

// A ForeignError says that a computation asked for a cell that its plan does not name as a parent. It wraps ErrForeign.
type ForeignError struct{ Reader, Cell Cell }

func (e *ForeignError) Error() string {
	return fmt.Sprintf("cell %d/%s reads cell %d/%s: %v",
		e.Reader.Layer, e.Reader.Key, e.Cell.Layer, e.Cell.Key, ErrForeign)
}

// Unwrap makes errors.Is(err, ErrForeign) hold.
func (e *ForeignError) Unwrap() error { return ErrForeign }
