package membership

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestBudgetIsAll: however a party spreads its delays, and however the intervals overlap, the waits that its budget
// grants add up to no more than the budget. All budgets from which one party can spend are 30 s.
func TestBudgetIsAll(t *testing.T) {
	if all := taskBudget + servingBudget + newcomerBudget; all != 30*time.Second {
		t.Errorf("a party can cost %v", all)
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		c := NewCosts()
		b, now := &c.newcomers, begun
		var paid, waited time.Duration
		for range 50 {
			had := b.left
			wait := min(b.TaskPatience(), time.Duration(rnd.Int64N(int64(9*time.Second))))
			waited += wait
			from, to := now, now.Add(wait)
			for range 3 { // the same time is paid once
				b.Spend(from.Add(-time.Duration(rnd.IntN(1000))), to)
			}
			paid += had - b.left
			now = to.Add(time.Duration(rnd.Int64N(int64(time.Minute))))
			if wait > 0 && b.left > had-wait {
				t.Fatalf("%v of %v were left after a wait of %v", b.left, had, wait)
			}
		}
		if paid > newcomerBudget || waited > newcomerBudget || waited == 0 || b.left < 0 {
			t.Fatalf("waits of %v were granted, %v paid, %v left", waited, paid, b.left)
		}
	}
}

// TestReserve: a worker whose party has spent its budget is in reserve, under all of its names. Where all are, none is.
func TestReserve(t *testing.T) {
	f := joined("a", "b", "x1~abcdefgh2345", "x2~abcdefgh2345")
	for _, n := range []string{"a", "b", "x1~abcdefgh2345"} {
		f.Reported(n, begun)
	}
	f.Costs.Tasks("x2~abcdefgh2345").Spend(begun, begun.Add(taskBudget-LeastCost+1))
	if got := f.Trusted(); !slices.Equal(got, []string{"a", "b"}) || !f.InReserve("x1~abcdefgh2345") {
		t.Errorf("not in reserve: %q", got)
	}
	if got := f.Candidates([]string{"a"}); !slices.Equal(got, []string{"b"}) {
		t.Errorf("a window goes to one of %q", got)
	}
	if got := f.Candidates([]string{"a", "b"}); !slices.Equal(got, []string{"x1~abcdefgh2345"}) {
		t.Errorf("a window that nobody else may compute goes to one of %q", got)
	}
	f.Costs.Tasks("a").Take(taskBudget)
	f.Costs.Tasks("b").Take(taskBudget)
	if got := f.Trusted(); len(got) != 4 {
		t.Errorf("all are in reserve, and %q are trusted", got)
	}
	f.Costs.Tasks("a").Return(2 * taskBudget)
	if got := f.Trusted(); !slices.Equal(got, []string{"a"}) || f.Costs.Tasks("a").left != taskBudget {
		t.Errorf("after a has got its time back %q are trusted", got)
	}
}

// TestNewcomers: parties that have reported nothing share one budget, so that one under new names gains nothing.
func TestNewcomers(t *testing.T) {
	f := joined("a", "new1", "new2")
	f.Reported("a", begun)
	f.Costs.Tasks("new1").Take(taskBudget)
	if !f.InReserve("new2") || f.InReserve("a") {
		t.Error("new2 has a budget of its own, or a has none")
	}
	if f.Reported("new2", begun); f.InReserve("new2") {
		t.Error("new2 has reported a window, and is in reserve")
	}
	f.Costs.Tasks("new1").Return(taskBudget)
	if got := f.Costs.Tasks("new3").left; got != newcomerBudget {
		t.Errorf("newcomers have %v", got)
	}
}

// TestPutOut: a party is put out for a fault once half of its budget is spent, for longer each time. It need not wait
// when no other party is there that is not in reserve.
func TestPutOut(t *testing.T) {
	const x, own = "x~abcdefgh2345", "y~abcdefgh2345"
	f, now := joined("a", own), begun
	f.Costs.Serving(x).Take(servingBudget/2 - 1)
	if f.Costs.Unserved(x, now) {
		t.Error("put out, and more than half of its budget is left")
	}
	f.Costs.Serving(x).Take(1)
	for _, seconds := range []int{30, 240, 1920, 15360, 122880, 983040, 983040} {
		want := time.Duration(seconds) * time.Second
		if !f.Costs.Unserved(x, now) || f.Barred(x, now) != want {
			t.Fatalf("put out for %v, want %v", f.Barred(x, now), want)
		}
		now = now.Add(want)
		if f.Barred(x, now) != 0 || f.Barred(x, now.Add(-1)) != 1 || f.Barred("a", now) != 0 {
			t.Fatalf("it has to wait until after %v", now)
		}
	}
	f.Costs.Unserved(x, now)
	f.Costs.Tasks("a").Take(taskBudget)
	if f.Barred(x, now) != 0 {
		t.Error("the other party is in reserve, and it has to wait")
	}
	f.Costs.Tasks("a").Return(taskBudget)
	if f.Remove("a"); f.Barred(x, now) != 0 {
		t.Error("nobody else is there, and it has to wait")
	}
}

// TestPatience: readers wait for less each time, and never for nothing.
func TestPatience(t *testing.T) {
	b := NewCosts().Serving("x")
	var all time.Duration
	for last := servingBudget; !b.Spent(); {
		wait := b.ReadPatience()
		if wait >= last {
			t.Errorf("readers wait for %v after %v", wait, last)
		}
		last = wait
		b.Take(2 * wait) // a reader and the coordinator
		all += 2 * wait
	}
	if all == 0 || all > servingBudget || b.ReadPatience() != leastPatience {
		t.Errorf("readers wait for %v in all, and then %v", all, b.ReadPatience())
	}
}

// TestCostsAreBounded: a flood of names takes no more memory than so many records, and the costliest are kept.
func TestCostsAreBounded(t *testing.T) {
	c := NewCosts()
	c.Serving("x").Take(servingBudget)
	for n := range 2 * maxParties {
		c.Serving(fmt.Sprint(n)).Take(1)
	}
	if len(c.parties) != maxParties || !c.Serving("x").Spent() {
		t.Errorf("%d records, x has spent its budget: %t", len(c.parties), c.Serving("x").Spent())
	}
}

// TestStake: the accused pay what an accusation has cost its party, and nothing on the word of a newcomer.
func TestStake(t *testing.T) {
	f := joined("a", "new")
	f.Reported("a", begun)
	c := f.Costs
	for _, want := range []time.Duration{taskBudget - time.Second, time.Second, 0} {
		if got := c.Stake("a", taskBudget-time.Second); got != want {
			t.Errorf("the accused pay %v, want %v", got, want)
		}
	}
	if got := c.Stake("new", time.Second); got != 0 || c.newcomers.left != newcomerBudget-time.Second {
		t.Errorf("on the word of a newcomer the accused pay %v; %v are left", got, c.newcomers.left)
	}
}
