package simulate

import (
	"context"
	"errors"
	"slices"
	"time"

	"pagoda/internal/run/pause"
	"pagoda/internal/run/protocol"
)

// broker is the server between coordinators and workers: subjects that any number of processes listen to, and a stream
// of tasks that are delivered at least once. It stands in for NATS, see package natsqueue: questions and reports go to
// all coordinators that listen, and the first answer counts. Only faults lose messages and tasks.
type broker struct {
	w *world
	p *process // "q"

	// guarded by world.mu
	subs   map[string][]*subscription
	tasks  []*stored
	pulls  []*pull
	recent map[string]time.Time // task IDs that were submitted of late
}

// subscription is a process that listens to a subject.
type subscription struct {
	p       *process
	subject string
	handle  func(b []byte, reply func([]byte))
	back    func() // the connection was lost and is there again
}

// stored is a task in the stream.
type stored struct {
	id, to   string
	epoch    uint64
	body     []byte
	deadline time.Time // a worker has it until then; zero: it waits
	serial   uint64    // of its last delivery
}

// pull is a worker's wish for a task.
type pull struct {
	name    string
	p       *process
	id      uint64
	expires time.Time
}

const (
	pullTime   = 5 * time.Second
	answerTime = 5 * time.Second
	retryFirst = 50 * time.Millisecond
	retryMost  = time.Second
	tryMost    = 30 * time.Second
)

func newBroker(w *world) *broker {
	return &broker{w: w, subs: make(map[string][]*subscription), recent: make(map[string]time.Time)}
}

// start makes the server's process.
func (b *broker) start() { b.p = b.w.spawn("q") }

// subscribe has a process hear a subject until end is called or it dies.
func (b *broker) subscribe(s *subscription) (end func()) {
	b.w.mu.Lock()
	defer b.w.mu.Unlock()
	if s.p.dead {
		return func() {}
	}
	b.subs[s.subject] = append(b.subs[s.subject], s)
	s.p.subs = append(s.p.subs, s)
	return func() {
		b.w.mu.Lock()
		defer b.w.mu.Unlock()
		b.unsubscribe(s)
	}
}

// unsubscribe ends a subscription; world.mu is held.
func (b *broker) unsubscribe(s *subscription) {
	b.subs[s.subject] = slices.DeleteFunc(b.subs[s.subject], func(o *subscription) bool { return o == s })
}

// listens reports whether a subscription has not ended, with its process or before.
func (b *broker) listens(s *subscription) bool {
	b.w.mu.Lock()
	defer b.w.mu.Unlock()
	return slices.Contains(b.subs[s.subject], s)
}

// publish sends a message to all who listen to a subject, the sender too, whose worker may ask its coordinator. reply,
// when not nil, gets their answers: an empty one from the server when nobody listens.
func (b *broker) publish(from *process, subject string, body []byte, reply func([]byte)) {
	w := b.w
	body = from.dialect.says(body)
	w.send(from, "q", len(body), func() {
		w.mu.Lock()
		subs := slices.Clone(b.subs[subject])
		w.mu.Unlock()
		if w.sc.Reticent {
			subs = slices.DeleteFunc(subs, func(s *subscription) bool { return s.p == from })
		} else if len(subs) == 0 && reply != nil {
			w.send(b.p, from.name, 8, func() { reply(nil) })
		}
		for _, s := range subs {
			w.send(b.p, s.p.name, len(body), func() {
				if !b.listens(s) {
					return
				}
				s.handle(s.p.dialect.hears(body), func(answer []byte) {
					if reply == nil {
						return
					}
					answer = s.p.dialect.says(answer)
					w.send(s.p, "q", len(answer), func() {
						w.send(b.p, from.name, len(answer), func() {
							if !from.isDead() {
								reply(answer)
							}
						})
					})
				})
			})
		}
	})
}

var (
	errDead   = errors.New("the process is dead")
	errNobody = errors.New("nobody listens") // nats.ErrNoResponders
)

// request sends a question once, and waits for the first answer.
func (b *broker) request(
	ctx context.Context, from *process, subject string, body []byte, try time.Duration,
) ([]byte, error) {
	if from.isDead() {
		return nil, errDead
	}
	answers := make(chan []byte, 1)
	b.publish(from, subject, body, func(a []byte) {
		select {
		case answers <- a:
		default:
		}
	})
	t := time.NewTimer(try)
	defer t.Stop()
	select {
	case a := <-answers:
		if len(a) == 0 {
			return nil, errNobody
		}
		return a, nil
	case <-from.gone:
		return nil, errDead
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-t.C:
		return nil, context.DeadlineExceeded
	}
}

// ask sends a question until it is answered, as natsqueue does.
func (b *broker) ask(
	ctx context.Context, from *process, subject string, body []byte, try time.Duration,
) ([]byte, error) {
	for wait := retryFirst; ; try, wait = max(try, min(2*try, tryMost)), min(2*wait, retryMost) {
		a, err := b.request(ctx, from, subject, body, try)
		if err == nil || ctx.Err() != nil || errors.Is(err, errDead) {
			return a, err
		}
		if err := pause.For(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// submit takes a task, unless it has come before.
func (b *broker) submit(t *protocol.Task, body []byte) {
	w := b.w
	w.mu.Lock()
	if _, known := b.recent[t.ID]; known {
		w.mu.Unlock()
		return
	}
	b.recent[t.ID] = time.Now()
	if o := w.lossy[[2]string{"q", "q"}]; o == nil || w.drawLocked("lose task") >= o.lose {
		b.tasks = append(b.tasks, &stored{id: t.ID, to: t.To, epoch: t.Epoch, body: body})
	}
	w.mu.Unlock()
	b.match()
}

// match gives waiting tasks to those who have asked.
func (b *broker) match() {
	type hand struct {
		to     *pull
		task   *stored
		serial uint64
	}
	var given []hand
	w := b.w
	w.mu.Lock()
	now := time.Now()
	b.pulls = slices.DeleteFunc(b.pulls, func(p *pull) bool { return p.p.dead || now.After(p.expires) })
	o := w.lossy[[2]string{"q", "q"}]
	b.pulls = slices.DeleteFunc(b.pulls, func(p *pull) bool {
		var fit []*stored
		for _, own := range []string{p.name, ""} {
			for _, t := range b.tasks {
				if t.deadline.IsZero() && t.to == own {
					fit = append(fit, t)
				}
			}
			if len(fit) > 0 {
				break
			}
		}
		if len(fit) == 0 {
			return false
		}
		t := fit[0]
		if o != nil && w.drawLocked("other task") < o.delay {
			t = fit[int(w.drawLocked("which task")*float64(len(fit)))]
		}
		t.serial++
		if o == nil || w.drawLocked("repeat task") >= o.repeat {
			t.deadline = now.Add(w.sc.AckWait)
		}
		given = append(given, hand{p, t, t.serial})
		return true
	})
	w.mu.Unlock()
	for _, h := range given {
		// The broker does not learn that a delivery failed. A task that is not settled in time is delivered again.
		time.AfterFunc(w.sc.AckWait+time.Millisecond, func() { b.expire(h.task) })
		w.send(b.p, h.to.p.name, len(h.task.body), func() { h.to.p.took(h.to.id, h.task, h.serial) })
	}
}

// expire delivers a task again once its deadline has passed.
func (b *broker) expire(t *stored) {
	b.w.mu.Lock()
	wait := time.Duration(0)
	late := false
	if !t.deadline.IsZero() && slices.Contains(b.tasks, t) {
		if wait = time.Until(t.deadline); wait <= 0 {
			t.deadline, late = time.Time{}, true
		}
	}
	b.w.mu.Unlock()
	switch {
	case late:
		b.match()
	case wait > 0:
		time.AfterFunc(wait+time.Millisecond, func() { b.expire(t) })
	}
}

// settled takes a worker's word about a task: progress, done or back.
func (b *broker) settled(t *stored, serial uint64, what string) {
	w := b.w
	w.mu.Lock()
	switch {
	case what == "progress":
		if t.serial == serial && !t.deadline.IsZero() {
			t.deadline = time.Now().Add(w.sc.AckWait)
		}
	case what == "done":
		b.tasks = slices.DeleteFunc(b.tasks, func(o *stored) bool { return o == t })
	case t.serial == serial:
		t.deadline = time.Time{}
	}
	w.mu.Unlock()
	if what == "back" {
		b.match()
	}
}

// clear removes tasks: those for one worker, or all.
func (b *broker) clear(all bool, worker string) {
	b.w.mu.Lock()
	defer b.w.mu.Unlock()
	b.tasks = slices.DeleteFunc(b.tasks, func(t *stored) bool { return all || t.to == worker })
}

// count is how many tasks are in the stream.
func (b *broker) count() int {
	b.w.mu.Lock()
	defer b.w.mu.Unlock()
	return len(b.tasks)
}

// away takes the server down for a while. With forget it loses its tasks, too.
func (b *broker) away(d time.Duration, forget bool) {
	names := b.w.names()
	for _, n := range names {
		b.w.block("q", n)
		b.w.block(n, "q")
	}
	if forget {
		b.clear(true, "")
		b.w.mu.Lock()
		clear(b.recent)
		b.w.mu.Unlock()
	}
	time.AfterFunc(d, func() {
		for _, n := range names {
			b.w.unblock("q", n)
			b.w.unblock(n, "q")
		}
		b.reconnected()
	})
}

// reconnected tells the listeners that they may have missed a message.
func (b *broker) reconnected() {
	w := b.w
	w.mu.Lock()
	var back []*subscription
	for _, subject := range []string{"drop"} {
		for _, s := range b.subs[subject] {
			if s.back != nil {
				back = append(back, s)
			}
		}
	}
	w.mu.Unlock()
	for _, s := range back {
		w.send(b.p, s.p.name, 8, func() {
			if !s.p.isDead() {
				s.back()
			}
		})
	}
}
