package kv

import "pagoda/internal/puzzle"

// Finished is a window that has all its blocks and waits for its commit.
type Finished struct {
	Writer *Writer
	Tally  puzzle.Tally
	// Record is that of the committed window, and Err why it was not committed. [Store.CommitAll] sets them.
	Record Record
	Err    error
}

// CommitAll makes windows exist, as [Writer.Commit] does one by one, and returns once each is durable or has failed.
// They take one sync of the segments and one of the log, whatever their number, and the blocks of small windows go to
// the segment in one write. A window that fails by itself does not hold up the others; a crash leaves all of the others
// or none.
func (s *Store) CommitAll(all ...*Finished) {
	for _, f := range all {
		w := f.Writer
		f.Record = Record{
			Run: s.run, Window: w.w, Rows: w.rows, Blocks: uint64(len(w.at.blocks)), Bytes: w.bytes, Tally: f.Tally,
		}
		if w.err == nil && !w.ended {
			f.Record.Digest = w.hasher.Sum()
		}
	}
	s.commitAll(all)
}

// commitAll commits windows with the records that they have.
func (s *Store) commitAll(all []*Finished) {
	defer func() {
		for _, f := range all {
			if f.Err != nil {
				f.Record = Record{}
			}
		}
	}()
	var open []*Finished
	for _, f := range all {
		w := f.Writer
		switch {
		case w.err != nil:
			f.Err = w.err
		case w.ended:
			f.Err = s.at(w.w.ID(), errEnded)
		default:
			w.ended = true // no window is committed twice
			open = append(open, f)
		}
	}
	err := s.enter()
	if err == nil {
		defer s.exit()
		s.flushAll(open)
	}
	var c commit
	var ready []*Finished
	for _, f := range open {
		w := f.Writer
		if w.err == nil && err != nil {
			_ = w.fail(err)
		}
		var value []byte
		if w.err == nil {
			w.at.digest, w.at.seal, w.at.first, w.at.copied = f.Record.Digest, w.seal.sum(), w.w.First, w.Copied
			value, w.err = (&stored{w.at, f.Record}).encode()
		}
		if w.err != nil {
			f.failed()
			continue
		}
		ready = append(ready, f)
		c.windows = append(c.windows, written{w.w.ID(), w.at.extents, value})
	}
	if len(ready) == 0 {
		return
	}
	if err := s.commit(&c); err != nil {
		for _, f := range ready {
			_ = f.Writer.fail(err)
			f.failed()
		}
	}
}

// failed notes that the writer's window was not committed. What it has written can be given up by Abort.
func (f *Finished) failed() {
	f.Writer.ended = false
	f.Err = f.Writer.err
}

// flushAll writes the blocks that wait in the memory of writers. Those of small windows share a write: they are copied
// for it, which costs less than a write of their own.
func (s *Store) flushAll(all []*Finished) {
	most := s.segments.writeBytes()
	shared := buffers.Get().(*[]byte)
	*shared = (*shared)[:0]
	defer buffers.Put(shared)
	var small []*Writer
	write := func() {
		if len(small) == 0 {
			return
		}
		e, err := s.segments.write(*shared)
		for _, w := range small {
			if err == nil {
				e.length = int64(len(*w.coded))
				w.at.extents = append(w.at.extents, e)
				e.offset += e.length
			}
			w.freeBuffer()
		}
		if err := s.done(err); err != nil {
			for _, w := range small {
				_ = w.fail(err)
			}
		}
		small, *shared = small[:0], (*shared)[:0]
	}
	for _, f := range all {
		w := f.Writer
		if w.coded == nil || len(*w.coded) == 0 || len(*w.coded) > most/8 {
			if w.flush() == nil {
				w.freeBuffer()
			}
			continue
		}
		if len(*shared)+len(*w.coded) > most {
			write()
		}
		small, *shared = append(small, w), append(*shared, *w.coded...)
	}
	write()
}
