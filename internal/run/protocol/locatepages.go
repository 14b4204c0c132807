package protocol

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
)

// Limits of messages about parents.
const (
	MaxLocateRequestBytes  = 4 << 10 // of an encoded LocateRequest
	MaxLocateResponseBytes = 8 << 20 // of an encoded LocateResponse
)

const (
	// pageBytes is the size to which a page is filled. A tally that is larger by itself goes in one piece.
	pageBytes = 448 << 10
	// maxPeers bounds the holders that a reader is told of; more would not help it.
	maxPeers = 16
)

// A LocateRequest asks for the parents of a cell, see Locator, from window number From on, all parents' windows counted
// in order.
type LocateRequest struct {
	Run    string      `json:"run"`
	Reader puzzle.Cell `json:"reader"`
	From   int         `json:"from,omitempty"`
}

// A LocateResponse answers a LocateRequest with as many windows as fit.
type LocateResponse struct {
	Error string `json:"error,omitempty"`
	// Parents are consecutive; the first goes on where the page before ended. A parent's tally comes with its first
	// window.
	Parents []Located `json:"parents,omitempty"`
	More    bool      `json:"more,omitempty"`
}

// Encode writes m as JSON.
func (m *LocateRequest) Encode() ([]byte, error) { return json.Marshal(m) }

// DecodeLocateRequest reads what Encode wrote. Errors wrap ErrMessage.
func DecodeLocateRequest(b []byte) (m LocateRequest, err error) {
	if err := decode(b, &m, MaxLocateRequestBytes); err != nil {
		return LocateRequest{}, err
	}
	if !ValidRun(m.Run) || m.From < 0 {
		return LocateRequest{}, fmt.Errorf("%w: question to run %.80q from window %d on", ErrMessage, m.Run, m.From)
	}
	return m, checkWindow(puzzle.Window{Cell: m.Reader, Addresses: 1})
}

// Encode writes m as JSON.
func (m *LocateResponse) Encode() ([]byte, error) { return json.Marshal(m) }

// DecodeLocateResponse reads what Encode wrote. Errors wrap ErrMessage.
func DecodeLocateResponse(b []byte) (m LocateResponse, err error) {
	if err := decode(b, &m, MaxLocateResponseBytes); err != nil {
		return LocateResponse{}, err
	}
	return m, m.check()
}

func (m *LocateResponse) check() error { return checkCells(m.Parents) }

// checkParents is checkCells for whole cells of a run.
func checkParents(run string, cells []Located) error {
	for i := range cells {
		if len(cells[i].Windows) > 0 && cells[i].Windows[0].Record.Run != run {
			return fmt.Errorf("%w: a parent of run %.40q in a task of run %s",
				ErrMessage, cells[i].Windows[0].Record.Run, run)
		}
	}
	if err := checkCells(cells); err != nil {
		return err
	}
	return checkWhole(cells)
}

// checkCells returns an error for malformed cells; the first and the last may be cut.
func checkCells(cells []Located) error {
	for i := range cells {
		p := &cells[i]
		if err := checkWindow(puzzle.Window{Cell: p.Cell, Addresses: 1}); err != nil {
			return err
		}
		if len(p.Windows) == 0 || !p.Tally.Canonical() {
			return fmt.Errorf("%w: cell %d/%s has no windows or no proper tally", ErrMessage, p.Cell.Layer, p.Cell.Key)
		}
		for k := range p.Windows {
			w := &p.Windows[k]
			if w.Record.Cell != p.Cell {
				return fmt.Errorf("%w: window %s in cell %d/%s", ErrMessage, w.Record.Window, p.Cell.Layer, p.Cell.Key)
			}
			if err := w.check(w.Record.Run); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *LocatedWindow) check(run string) error {
	if w.Record.Run != run {
		return fmt.Errorf("%w: window %s of run %.40q, not %s", ErrMessage, w.Record.Window, w.Record.Run, run)
	}
	if err := w.Record.Check(); err != nil {
		return fmt.Errorf("%w: record: %w", ErrMessage, err)
	}
	if len(w.Holders) > kv.MaxHolders || w.Loss < 0 {
		return fmt.Errorf("%w: window %s has %d holders and was lost %d times",
			ErrMessage, w.Record.Window, len(w.Holders), w.Loss)
	}
	for i := range w.Holders {
		if err := w.Holders[i].check(); err != nil {
			return err
		}
	}
	return nil
}

// Page cuts from all parents as many windows as fit into one message, from window number from on.
func Page(parents []Located, from int) (LocateResponse, error) {
	var out LocateResponse
	size := 0
	for _, p := range parents {
		if from >= len(p.Windows) {
			from -= len(p.Windows)
			continue
		}
		part := Located{Cell: p.Cell}
		if from == 0 {
			part.Tally = p.Tally
			b, err := json.Marshal(&p.Tally)
			if err != nil {
				return LocateResponse{}, err
			}
			size += len(b)
		}
		for _, w := range p.Windows[from:] {
			w.Holders = w.Holders[:min(len(w.Holders), maxPeers)]
			b, err := json.Marshal(&w)
			if err != nil {
				return LocateResponse{}, err
			}
			if size += len(b) + 1; size > pageBytes && len(part.Windows)+len(out.Parents) > 0 {
				out.More = true
				break
			}
			part.Windows = append(part.Windows, w)
		}
		if len(part.Windows) > 0 {
			out.Parents = append(out.Parents, part)
		}
		if out.More {
			break
		}
		from = 0
	}
	return out, nil
}

// LocatePages locates the parents of a cell by asking page by page. Errors are those of ask and of a page.
func LocatePages(
	ctx context.Context, run string, reader puzzle.Cell, ask func(context.Context, LocateRequest) (LocateResponse, error),
) ([]Located, error) {
	var all []Located
	for from := 0; ; {
		p, err := ask(ctx, LocateRequest{Run: run, Reader: reader, From: from})
		switch {
		case err != nil:
			return nil, err
		case p.Error != "":
			return nil, errors.New(p.Error)
		}
		for _, l := range p.Parents {
			from += len(l.Windows)
			if n := len(all); n > 0 && all[n-1].Cell == l.Cell {
				all[n-1].Windows = append(all[n-1].Windows, l.Windows...)
				continue
			}
			all = append(all, l)
		}
		if !p.More {
			return all, checkWhole(all)
		}
		if len(p.Parents) == 0 {
			return nil, fmt.Errorf("%w: an empty page is not the last", ErrMessage)
		}
	}
}

// checkWhole sees that the windows of every cell follow each other.
func checkWhole(cells []Located) error {
	for _, c := range cells {
		next := uint64(0)
		for i, w := range c.Windows {
			if w.Record.Part != i || w.Record.First != next {
				return fmt.Errorf("%w: window %s of cell %d/%s starts at %d", ErrMessage, w.Record.Window, c.Cell.Layer, c.Cell.Key,
					w.Record.First)
			}
			next += w.Record.Addresses
		}
	}
	return nil
}
