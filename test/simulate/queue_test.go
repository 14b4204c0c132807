package simulate

import (
	"context"
	"fmt"
	"time"

	"pagoda/internal/run/pause"
	"pagoda/internal/run/protocol"
)

// tasks is a coordinator's end of the queue.
type tasks struct {
	h *host
	p *process
}

var (
	_ protocol.TaskQueue = tasks{}
	_ protocol.Purger    = tasks{}
	_ protocol.Resetter  = tasks{}
)

// exchange has the server do something, and waits until it has said so.
func (q tasks) exchange(ctx context.Context, size int, do func()) error {
	w := q.p.w
	answer := make(chan bool, 1)
	w.send(q.p, "q", size, func() {
		do()
		w.send(w.broker.p, q.p.name, 8, func() {
			select {
			case answer <- true:
			default:
			}
		})
	})
	t := time.NewTimer(answerTime)
	defer t.Stop()
	select {
	case <-answer:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-q.p.gone:
		return errDead
	case <-t.C:
		return protocol.ErrQueueDown
	}
}

// connected reports whether the server can be reached; a client knows, as a rule.
func (q tasks) connected() bool {
	w := q.p.w
	return !w.isBlocked(q.p.name, "q") && !w.isBlocked("q", q.p.name) && !q.p.isDead()
}

func (q tasks) Submit(ctx context.Context, all []protocol.Task) error {
	if !q.connected() {
		return fmt.Errorf("%d tasks: %w", len(all), protocol.ErrQueueDown)
	}
	type encoded struct {
		t protocol.Task
		b []byte
	}
	var list []encoded
	size := 0
	for _, t := range all {
		b, err := t.Encode()
		if err != nil {
			return err
		}
		b = q.p.dialect.says(b)
		list = append(list, encoded{t, b})
		size += len(b)
		for i := range t.Windows {
			q.p.w.checks.assigned(q.p, &t, &t.Windows[i])
		}
	}
	var err error
	for range 3 {
		err = q.exchange(ctx, size, func() {
			for i := range list {
				q.p.w.broker.submit(&list[i].t, list[i].b)
			}
		})
		if err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("%d tasks: %w", len(all), protocol.ErrQueueDown)
	}
	return err
}

func (q tasks) Pending(ctx context.Context) (n int, err error) {
	if !q.connected() {
		return 0, protocol.ErrQueueDown
	}
	counted := make(chan int, 2)
	err = q.exchange(ctx, 64, func() {
		select {
		case counted <- q.p.w.broker.count():
		default:
		}
	})
	if err != nil {
		if ctx.Err() == nil {
			err = protocol.ErrQueueDown
		}
		return 0, err
	}
	return <-counted, nil
}

func (q tasks) Purge(ctx context.Context, worker string) error {
	return q.exchange(ctx, 64, func() { q.p.w.broker.clear(false, worker) })
}

func (q tasks) Reset(ctx context.Context) error {
	return q.exchange(ctx, 64, func() { q.p.w.broker.clear(true, "") })
}

func (q tasks) Serve(ctx context.Context, handle func(context.Context, protocol.Report) protocol.Reply) error {
	end := q.p.w.broker.subscribe(&subscription{p: q.p, subject: "report", handle: func(b []byte, reply func([]byte)) {
		r, err := protocol.DecodeReport(b)
		var a protocol.Reply
		if err != nil {
			a.Error = err.Error()
		} else {
			a = handle(ctx, r)
			q.p.w.checks.answered(q.h, q.p, &r, &a)
		}
		if b, err := a.Encode(); err == nil {
			reply(b)
		}
	}})
	defer end()
	<-ctx.Done()
	return nil
}

// hand is a worker's end of the queue.
type hand struct {
	name  string
	p     *process
	slots int
	next  uint64
	waits map[uint64]chan *delivery // guarded by world.mu
	count int                       // tasks in hand, guarded by world.mu
}

func newHand(p *process, slots int) *hand {
	h := &hand{name: p.name, p: p, slots: slots, waits: make(map[uint64]chan *delivery)}
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	p.w.hands[p] = h
	return h
}

// Next asks the server for a task, again and again.
func (h *hand) Next(ctx context.Context) (protocol.Delivery, error) {
	w := h.p.w
	for {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		ch := make(chan *delivery, 1)
		w.mu.Lock()
		h.next++
		id := h.next
		h.waits[id] = ch
		w.mu.Unlock()
		w.send(h.p, "q", 128, func() {
			w.mu.Lock()
			w.broker.pulls = append(w.broker.pulls, &pull{p: h.p, name: h.name, id: id, expires: time.Now().Add(pullTime)})
			w.mu.Unlock()
			w.broker.match()
		})
		t := time.NewTimer(pullTime + pullTime/4)
		var got *delivery
		select {
		case got = <-ch:
		case <-t.C:
		case <-ctx.Done():
		}
		t.Stop()
		w.mu.Lock()
		delete(h.waits, id)
		w.mu.Unlock()
		if got == nil {
			select {
			case got = <-ch: // it came in the same moment
			default:
			}
		}
		switch {
		case got != nil && ctx.Err() != nil:
			_ = got.Nak()
		case got != nil:
			return got, nil
		}
	}
}

// took is a task that arrives at a worker.
func (p *process) took(id uint64, s *stored, serial uint64) {
	if p.isDead() {
		return
	}
	w := p.w
	t, err := protocol.DecodeTask(s.body)
	if err != nil {
		w.violate("message", nil, "a task does not decode: %v", err)
		return
	}
	w.mu.Lock()
	h := w.hands[p]
	ch := h.waits[id]
	delete(h.waits, id)
	h.count++
	count := h.count
	w.mu.Unlock()
	d := &delivery{h: h, s: s, serial: serial, task: t, last: time.Now()}
	if ch == nil {
		_ = d.Nak()
		return
	}
	w.checks.inHand(p, h.slots, count)
	ch <- d
}

// delivery is a task in a worker's hands.
type delivery struct {
	h       *hand
	s       *stored
	serial  uint64
	task    protocol.Task
	last    time.Time
	settled bool
}

func (d *delivery) Task() *protocol.Task { return &d.task }

func (d *delivery) Progress() {
	w := d.h.p.w
	w.mu.Lock()
	early := time.Since(d.last) < w.sc.AckWait/4
	if !early {
		d.last = time.Now()
	}
	w.mu.Unlock()
	if !early {
		d.say("progress")
	}
}

func (d *delivery) Ack() error {
	d.h.p.w.checks.acknowledged(d.h.p, &d.task)
	return d.settle("done")
}

func (d *delivery) Nak() error { return d.settle("back") }

func (d *delivery) settle(what string) error {
	w := d.h.p.w
	w.mu.Lock()
	if !d.settled {
		d.h.count--
	}
	d.settled = true
	w.mu.Unlock()
	d.say(what)
	return nil
}

func (d *delivery) say(what string) {
	w := d.h.p.w
	w.send(d.h.p, "q", 64, func() { w.broker.settled(d.s, d.serial, what) })
}

// Report sends a report until it is answered.
func (h *hand) Report(ctx context.Context, r protocol.Report) (protocol.Reply, error) {
	h.p.w.checks.reports(h.p, &r)
	b, err := r.Encode()
	if err != nil {
		return protocol.Reply{}, err
	}
	a, err := h.p.w.broker.ask(ctx, h.p, "report", b, answerTime)
	if err != nil {
		return protocol.Reply{}, err
	}
	return protocol.DecodeReply(a)
}

// held waits while the process is frozen.
func (p *process) held(ctx context.Context) error {
	for {
		d := p.thaws()
		if d <= 0 {
			return ctx.Err()
		}
		if err := pause.For(ctx, d); err != nil {
			return err
		}
	}
}
