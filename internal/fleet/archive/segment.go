package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/klauspost/compress/zstd"

	"pagoda/internal/kv"
)

// A segment is a piece of a ledger, in an object of its own. Segments are numbered from 1 without a gap, and each is
// put under the condition that its number is free: so the numbers are the order in which coordinators have written, and
// of two that write at once one finds out.
//
// The object is zstd of lines, and then the 32 bytes of the SHA-256 of that. The first line is the head in JSON. Each
// further line is the entry of a window, after a '!' if its audit is due and a blank otherwise.
type segment struct {
	head
	items []item
}

// head describes a segment. Programs pass over fields that a later one adds.
type head struct {
	Format   int    `json:"format"`
	Run      string `json:"run"`
	Number   uint64 `json:"number"`
	Epoch    uint64 `json:"epoch"`    // of the coordinator
	Instance string `json:"instance"` // tells processes apart
	Items    int    `json:"items"`
	// Refusals are all so far: a damaged segment costs its windows, and no refusal.
	Refusals []refusal `json:"refusals,omitempty"`
	// Info is the value of LedgerOptions.Info in the ledger, nil for none.
	Info []byte `json:"info,omitempty"`
}

// A refusal holds from a segment on: entries of its forgotten windows in earlier ones do not count.
type refusal struct {
	At uint64 `json:"at"`
	kv.Distrust
}

// An item is the last word on a window.
type item struct {
	entry kv.Entry
	due   bool // it is to be computed a second time
}

const (
	segmentFormat = 1
	// maxItems and wantBytes bound the segments that are written: one more entry of at most 4 MiB may come on top.
	maxItems, wantBytes = 4096, 8 << 20
	// maxSegment bounds those that are read, packed and unpacked.
	maxSegment = 256 << 20
)

// text is the line of an item.
func (i *item) text() ([]byte, error) {
	b, err := i.entry.Encode()
	if err != nil {
		return nil, err
	}
	mark := byte(' ')
	if i.due {
		mark = '!'
	}
	return append(append([]byte{mark}, b...), '\n'), nil
}

// pack returns the object of a segment from its head and the lines of its items.
func pack(h *head, lines []byte) ([]byte, error) {
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	b := z.EncodeAll(append(append(text, '\n'), lines...), nil)
	sum := sha256.Sum256(b)
	return append(b, sum[:]...), z.Close()
}

// unpack reads what pack writes of a run and a number. Errors wrap kv.ErrCorrupt, or kv.ErrFormat where a later program
// has written it.
func unpack(b []byte, run string, number uint64) (s segment, err error) {
	n := len(b) - sha256.Size
	if n < 0 || sha256.Sum256(b[:n]) != [sha256.Size]byte(b[n:]) {
		return s, fmt.Errorf("%w: its checksum does not match", kv.ErrCorrupt)
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxSegment))
	if err != nil {
		return s, err
	}
	defer z.Close()
	text, err := z.DecodeAll(b[:n], nil)
	if err != nil {
		return s, fmt.Errorf("%w: %w", kv.ErrCorrupt, err)
	}
	line, rest, _ := bytes.Cut(text, []byte{'\n'})
	if err := json.Unmarshal(line, &s.head); err != nil {
		return s, fmt.Errorf("%w: its head: %w", kv.ErrCorrupt, err)
	}
	switch {
	case s.Format != segmentFormat:
		return s, fmt.Errorf("%w: a ledger of format %d, this program reads %d", kv.ErrFormat, s.Format, segmentFormat)
	case s.Run != run || s.Number != number:
		return s, fmt.Errorf("%w: it is segment %d of run %.40q", kv.ErrCorrupt, s.Number, s.Run)
	case s.Items != bytes.Count(rest, []byte{'\n'}):
		return s, fmt.Errorf("%w: it has not its %d windows", kv.ErrCorrupt, s.Items)
	}
	s.items = make([]item, 0, s.Items)
	for range s.Items {
		line, rest, _ = bytes.Cut(rest, []byte{'\n'})
		i, err := readItem(line, run)
		if err != nil {
			return s, err
		}
		s.items = append(s.items, i)
	}
	if len(rest) > 0 {
		return s, fmt.Errorf("%w: something follows its windows", kv.ErrCorrupt)
	}
	return s, nil
}

// readItem reads a line without its end.
func readItem(line []byte, run string) (i item, err error) {
	if len(line) == 0 || line[0] != ' ' && line[0] != '!' {
		return i, fmt.Errorf("%w: a line without its mark", kv.ErrCorrupt)
	}
	i.due = line[0] == '!'
	i.entry, err = kv.DecodeEntry(line[1:])
	if err == nil && i.entry.Record.Run != run {
		err = fmt.Errorf("%w: an entry of run %s", kv.ErrCorrupt, i.entry.Record.Run)
	}
	return i, err
}

// numberDigits is the length of the names of segments, whose order is that of their numbers.
const numberDigits = 10

func segmentName(number uint64) string { return fmt.Sprintf("%0*d", numberDigits, number) }

// parseSegment reads what segmentName writes, and nothing else.
func parseSegment(name string) (number uint64, ok bool) {
	number, err := strconv.ParseUint(name, 10, 64)
	return number, err == nil && number > 0 && segmentName(number) == name
}
