package explore

import (
	"context"
	"slices"
	"sync"
	"time"

	"pagoda/internal/app/runs"
	"pagoda/internal/run/rundir"
)

const (
	// keepTime is how long a folder stays open after the last answer, and longer while a client watches: to open one
	// takes much longer than to answer.
	keepTime = time.Minute
	// maxKept bounds the folders that stay open; the one that was read first goes.
	maxKept = 4
)

// A kept is a run that stays open for the next answer. Only the folder of a small run is locked by it. Another program
// may write to any other folder, which is opened anew then. Windows are checked against their digests, so the answers
// are right meanwhile.
type kept struct {
	*runs.Stored
	at    time.Time // when another program had written to the folder last
	users int       // requests that read it
	gone  bool      // the last of them closes it
	idle  *time.Timer
}

// lend opens a complete run; done must be called when it is not read any more. Without folder its kept results suffice.
func (o *offer) lend(ctx context.Context, l runs.Loader, folder bool) (s *runs.Stored, done func(), err error) {
	if o.live != nil {
		return o.live.Run(folder)
	}
	if p := o.results(); p != nil && !folder {
		o.asked()
		return &runs.Stored{Job: o.Job, Results: p}, func() {}, nil
	}
	k, err := o.keep(ctx, l)
	if err != nil {
		return nil, nil, err
	}
	o.used()
	if !folder {
		o.recall(k.Results)
	}
	return k.Stored, sync.OnceFunc(func() { o.done(k) }), nil
}

// keep returns the open folder, with one user more.
func (o *offer) keep(ctx context.Context, l runs.Loader) (*kept, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := o.written()
	if o.kept == nil || !at.Equal(o.kept.at) {
		s, err := o.open(ctx, l)
		switch {
		case err == nil:
			o.drop()
			o.kept = &kept{Stored: s, at: at}
		case o.kept == nil:
			return nil, err
		default: // the other program has the folder still; the files that are open can be read
			o.kept.at = at
		}
	}
	if o.kept.idle != nil {
		o.kept.idle.Stop()
	}
	o.kept.users++
	return o.kept, nil
}

// written is when another program wrote to the folder last. Of a small run there is none.
func (o *offer) written() time.Time {
	if o.small {
		return time.Time{}
	}
	return rundir.Written(o.Dir)
}

// rewritten reports whether another program has written to the folder since it was opened: then a question that failed
// may be asked again.
func (o *offer) rewritten() bool {
	if o.live != nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.kept != nil && !o.written().Equal(o.kept.at)
}

// done takes notice that a request has read k.
func (o *offer) done(k *kept) {
	o.mu.Lock()
	defer o.mu.Unlock()
	k.users--
	switch {
	case k.users > 0:
	case k.gone:
		k.Close()
	case !o.small:
		k.idle = time.AfterFunc(keepTime, o.rest)
	}
}

// rest closes the folder when it has not been read for a while, unless a client watches.
func (o *offer) rest() {
	if !o.watched() || o.rewritten() {
		o.release()
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if k := o.kept; k != nil && k.users == 0 {
		k.idle.Reset(keepTime)
	}
}

// release closes the folder, once no request reads it.
func (o *offer) release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.drop()
}

// drop is release, under the lock.
func (o *offer) drop() {
	k := o.kept
	o.kept = nil
	switch {
	case k == nil:
	case k.users > 0:
		k.gone = true
	default:
		if k.idle != nil {
			k.idle.Stop()
		}
		k.Close()
	}
}

// read notes that the folder of o was read last, and closes those beyond maxKept. Small runs are not among them:
// makeRoom bounds their number, and no other program wants their folders.
func (s *Server) read(o *offer) {
	if o.small {
		return
	}
	s.mu.Lock()
	s.kept = append(slices.DeleteFunc(s.kept, func(other *offer) bool { return other == o }), o)
	var over []*offer
	if n := len(s.kept) - maxKept; n > 0 {
		over = slices.Clone(s.kept[:n])
		s.kept = slices.Delete(s.kept, 0, n)
	}
	s.mu.Unlock()
	for _, o := range over {
		o.release()
	}
}
