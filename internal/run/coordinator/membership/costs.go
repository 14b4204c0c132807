package membership

import (
	"time"

	"pagoda/internal/run/protocol"
)

// Costs holds the records of the parties of a run, see protocol.Party: above all the time that each has cost it. A
// party costs time when the run has to wait for it: for a window that it has been given, or for rows that it holds.
// That time comes off a budget, no second twice. A party is waited for as long as a share of the rest of its budget. So
// the next wait is shorter than the last, and all waits together are bounded, whatever a party does, in whatever order.
// Costs outlives a coordinator, because a run begins again when a worker is refused.
type Costs struct {
	parties map[string]*party
	// newcomers is the task budget of all parties together that have not reported a window yet. So one that joins under
	// new names gains nothing by it.
	newcomers Budget
}

// party is the record of one party.
type party struct {
	proven         bool // it has reported a window that it was asked for
	tasks, serving Budget
	audits         int       // of its windows, because they were its first
	out            int       // times that it was put out for rows that it did not serve
	until          time.Time // the end of the last of them
}

const (
	// taskBudget is the time for which a run waits for a party's tasks in all, servingBudget for the rows that it holds.
	taskBudget, servingBudget = 8 * time.Second, 16 * time.Second
	// newcomerBudget is the time for tasks of all parties that have not reported a window. One party costs 30 s in all.
	newcomerBudget = 6 * time.Second
	// LeastCost is the cost of a fault that takes no time. Below it a budget counts as spent.
	LeastCost = time.Second
)

// firstAudits is how many windows of a party are audited whatever the draw: a party that is always wrong is found at
// once. Under further names it has no further first windows, whose audits the others would have to compute.
const firstAudits = 4

// maxParties bounds the records of parties.
const maxParties = 4096

// leastPatience is how long a reader waits in any case.
const leastPatience = 250 * time.Millisecond

// A party that does not serve its rows is put out for firstOut, and each time for outFactor times as long, maxOut times
// at most: it may have been cut off, and returns with all that it holds.
const (
	firstOut  = 30 * time.Second
	outFactor = 8
	maxOut    = 5
)

// NewCosts returns those of a run in which no time has been lost.
func NewCosts() *Costs {
	return &Costs{parties: make(map[string]*party), newcomers: full(newcomerBudget)}
}

// of returns the record of a worker's party.
func (c *Costs) of(worker string) *party {
	name := protocol.Party(worker)
	k := c.parties[name]
	if k == nil {
		if len(c.parties) >= maxParties {
			c.forget()
		}
		k = &party{tasks: full(taskBudget), serving: full(servingBudget)}
		c.parties[name] = k
	}
	return k
}

// forget makes room for another record: the one that has mattered least.
func (c *Costs) forget() {
	least := ""
	for name, k := range c.parties {
		if o := c.parties[least]; o == nil || k.serving.left+k.tasks.left > o.serving.left+o.tasks.left {
			least = name
		}
	}
	delete(c.parties, least)
}

// Tasks is the budget of a worker's party for the tasks that the run waits for.
func (c *Costs) Tasks(worker string) *Budget {
	if k := c.of(worker); k.proven {
		return &k.tasks
	}
	return &c.newcomers
}

// Serving is the budget of a worker's party for rows that it holds and others wait for.
func (c *Costs) Serving(worker string) *Budget { return &c.of(worker).serving }

// Stake takes the time of an accusation off the budget of its worker's party, and returns how much the accused pay of
// it. They pay nothing on the word of newcomers: a party would spend their common budget on it, and then its own.
func (c *Costs) Stake(worker string, d time.Duration) time.Duration {
	paid := c.Tasks(worker).Take(d)
	if !c.of(worker).proven {
		return 0
	}
	return paid
}

// First reports whether a window that a worker has reported is one of the first of its party, which are all audited.
func (c *Costs) First(worker string) bool {
	k := c.of(worker)
	if k.audits >= firstAudits {
		return false
	}
	k.audits++
	return true
}

// Unserved puts a worker's party out after a fault in serving, once half of its budget is spent. It reports whether it
// did.
func (c *Costs) Unserved(worker string, now time.Time) (out bool) {
	k := c.of(worker)
	if k.serving.left > servingBudget/2 {
		return false
	}
	pause := firstOut
	for range min(k.out, maxOut) {
		pause *= outFactor
	}
	k.out, k.until = k.out+1, now.Add(pause)
	return true
}

// A Budget is the time that a party may still cost.
type Budget struct {
	left, most time.Duration
	until      time.Time // the end of the time that has been paid for
}

// full is a budget of which nothing is spent.
func full(d time.Duration) Budget { return Budget{left: d, most: d} }

// Spend takes an interval off the budget, as far as it has not been paid for.
func (b *Budget) Spend(from, to time.Time) {
	if from.Before(b.until) {
		from = b.until
	}
	if d := to.Sub(from); d > 0 {
		b.Take(d)
		b.until = to
	}
}

// Take takes a time off the budget, and returns how much of it was there.
func (b *Budget) Take(d time.Duration) time.Duration {
	d = min(d, b.left)
	b.left -= d
	return d
}

// Return gives back time that another party has paid for.
func (b *Budget) Return(d time.Duration) { b.left = min(b.left+d, b.most) }

// Spent reports whether nothing is left to speak of.
func (b *Budget) Spent() bool { return b.left < LeastCost }

// TaskPatience is how long the run waits for a task that is late. Its caller has taken the wait so far off the budget,
// so a first wait ends after a third of it.
func (b *Budget) TaskPatience() time.Duration {
	if b.Spent() {
		return 0
	}
	return b.left / 2
}

// ReadPatience is how long a reader waits for rows: another one, and the coordinator, may wait as long.
func (b *Budget) ReadPatience() time.Duration { return max(b.left/4, leastPatience) }

// InReserve reports whether a worker's party has spent its budget for tasks. It is given the windows that others leave,
// and others take these from it when they have nothing else to do.
func (f *Members) InReserve(worker string) bool { return f.Costs.Tasks(worker).Spent() }

// Trusted lists the workers that can be given tasks and are not in reserve: all, if there is no such worker.
func (f *Members) Trusted() []string {
	trusted, _ := f.Divided()
	return trusted
}

// Divided lists the workers that can be given tasks: those that are trusted, and the others, which are in reserve.
func (f *Members) Divided() (trusted, reserve []string) { return f.divide(f.Working()) }

func (f *Members) divide(names []string) (trusted, reserve []string) {
	for _, name := range names {
		if f.InReserve(name) {
			reserve = append(reserve, name)
		} else {
			trusted = append(trusted, name)
		}
	}
	if trusted == nil {
		return reserve, nil
	}
	return trusted, reserve
}

// Barred is how long a worker has to wait until it may join again. It need not wait when no other party is there, or
// when all others are in reserve: it may be the only honest one.
func (f *Members) Barred(name string, now time.Time) time.Duration {
	k := f.Costs.of(name)
	if !now.Before(k.until) {
		return 0
	}
	for other, m := range f.byName {
		if m.Working() && !f.InReserve(other) && protocol.Party(other) != protocol.Party(name) {
			return k.until.Sub(now)
		}
	}
	return 0
}
