package book

import (
	"fmt"

	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/quantity"
)

// mostRelated bounds the related results of a page.
const mostRelated = 12

// files are the page of a record, and its downloads.
func (r *Record) files(title string, all []*Record) ([]File, error) {
	d, err := r.downloads()
	if err != nil {
		return nil, err
	}
	c := r.Certificate
	h := r.headline()
	same, others := r.related(all)
	p, err := page(r.Page(), map[string]any{
		"Root": "../", "Book": title, "Title": r.title(), "R": r, "C": c, "Headline": h.label(), "Big": digits(h.Value),
		"Numbers": r.numbers(), "Boards": d.boards, "Grids": r.grids(d.charts), "Downloads": d.list,
		"SameBoard": same, "SamePuzzle": others,
		"Checked": c.Checked(), "Rows": digits(c.Rows), "Windows": plural.Of(c.Windows, "window"),
		"Layers": plural.Of(len(c.Layers), "layer"), "Words": r.words(), "Cost": r.cost(),
		"Citation": r.citation(), "BibTeX": r.bibTeX(),
	})
	return append(d.files, p), err
}

// words says on whose word the windows are.
func (r *Record) words() string {
	if r.Certificate.Words == nil {
		return "not on record"
	}
	return r.Certificate.Words.String()
}

// cost is the time, the workers and the disk of the run.
func (r *Record) cost() string {
	c := r.Computed
	if c == nil {
		return "not on record: no single process computed all of it"
	}
	text := fmt.Sprintf("%s from start to end, with %s and %s at a time; the stored rows take %s", duration(c.Millis),
		plural.Of(c.Workers, "worker"), plural.Of(c.Slots, "window"), quantity.Bytes(c.Bytes))
	if u := c.Used; u != nil {
		text += fmt.Sprintf("; %s of processor time and at most %s of memory, on a machine of %s", duration(u.CPUMillis),
			quantity.Bytes(u.PeakBytes), u.Machine)
	}
	return text
}

func duration(millis int64) string {
	if millis < 1000 {
		return fmt.Sprintf("%d ms", millis)
	}
	return quantity.Duration(float64(millis) / 1000)
}

// related are other results about the same board, and then about other boards of the same puzzle.
func (r *Record) related(all []*Record) (same, others []related) {
	for _, o := range all {
		switch {
		case o == r || o.Puzzle != r.Puzzle:
		case o.Board == r.Board:
			same = append(same, related{o.Board, o.entry("../")})
		case len(others) < mostRelated:
			others = append(others, related{o.Board, o.entry("../")})
		}
	}
	return same[:min(len(same), mostRelated)], others
}

type related struct {
	Board string
	entry
}
