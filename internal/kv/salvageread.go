package kv

import (
	"bytes"
	"context"
	"io"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/wal"
)

// table reads a table from its beginning to its end or the first damaged block, and in that case from its end too.
// Only errors of the new database are returned.
func (s *salvager) table(path string) (err error) {
	// Bytes without a checksum can make the library panic.
	defer func() {
		if p := recover(); p != nil {
			err = nil
		}
	}()
	f, err := s.from.Open(path)
	if err != nil {
		return nil
	}
	readable, err := sstable.NewSimpleReadable(f)
	if err != nil {
		free(f)
		return nil
	}
	r, err := sstable.NewReader(context.Background(), readable, sstable.ReaderOptions{})
	if err != nil {
		_ = readable.Close()
		return nil
	}
	defer free(r)
	it, err := r.NewIter(sstable.NoTransforms, nil, nil, sstable.AssertNoBlobHandles)
	if err != nil {
		return nil
	}
	defer free(it)
	for kv := it.First(); kv != nil; kv = it.Next() {
		if err := s.point(kv.K.UserKey, uint64(kv.K.SeqNum()), kv.Kind(), kv.Value); err != nil {
			return err
		}
	}
	if it.Error() == nil {
		return nil
	}
	for kv := it.Last(); kv != nil; kv = it.Prev() {
		if err := s.point(kv.K.UserKey, uint64(kv.K.SeqNum()), kv.Kind(), kv.Value); err != nil {
			return err
		}
	}
	return nil
}

// point adds an entry of a table, unless its value cannot be read.
func (s *salvager) point(
	key []byte, seq uint64, kind pebble.InternalKeyKind, value func([]byte) ([]byte, bool, error),
) error {
	b, _, err := value(nil)
	if err == nil {
		err = s.add(key, seq, kind == pebble.InternalKeyKindSet, b)
	} else {
		err = nil // damaged
	}
	return err
}

// log reads a log up to its end or the first damaged record.
func (s *salvager) log(l wal.LogicalLog) error {
	records := l.OpenForRead()
	defer free(records)
	var b bytes.Buffer
	for {
		b.Reset()
		one, _, err := records.NextRecord()
		if err == nil {
			_, err = io.Copy(&b, one)
		}
		h, ok := batchrepr.ReadHeader(b.Bytes())
		if err != nil || !ok {
			return nil
		}
		seq := uint64(h.SeqNum)
		for r := batchrepr.Read(b.Bytes()); ; seq++ {
			kind, key, value, ok, err := r.Next()
			if !ok || err != nil {
				break
			}
			if kind == pebble.InternalKeyKindLogData {
				seq--
				continue
			}
			if err := s.add(key, seq, kind == pebble.InternalKeyKindSet, value); err != nil {
				return err
			}
		}
	}
}
