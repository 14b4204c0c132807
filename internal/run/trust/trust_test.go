package trust

import "testing"

// TestString: the sentence claims what the words and the shares of audits allow, and nothing beyond.
func TestString(t *testing.T) {
	default_, alone := &Shares{0.02, 0.005}, &Shares{0.02, 0.02}
	for _, c := range []struct {
		words Words
		want  string
	}{
		{Words{}, "no window is committed"},
		{Words{Own: 1}, "1 window: each computed by the coordinator itself; nothing rests on workers"},
		{Words{Own: 9, Audits: default_}, "9 windows: each computed by the coordinator itself; nothing rests on workers"},
		{Words{Own: 9, Parties: 2, Audits: default_},
			"9 windows: each computed by the coordinator itself too; no lie of a worker goes unseen"},
		{Words{Own: 1, Several: 2, One: 3, Parties: 4, Audits: default_},
			"6 windows: 3 computed by one of 4 parties alone, 2 by several, 1 by the coordinator; a lie in k windows of one " +
				"party goes unseen with probability 0.98^k at most, or 0.995^k if all other workers confirm it"},
		{Words{Own: 1, One: 3, Parties: 1, Audits: alone},
			"4 windows: 3 computed by one of 1 party alone, 0 by several, 1 by the coordinator; a lie in k windows goes " +
				"unseen with probability 0.98^k at most, whatever other workers confirm"},
		{Words{Several: 7, Parties: 2, Audits: &Shares{1, 0.25}},
			"7 windows: 0 computed by one of 2 parties alone, 7 by several, 0 by the coordinator; a lie in k windows goes " +
				"unseen only if all auditors confirm it, with probability 0.75^k at most"},
		{Words{One: 7, Parties: 2, Audits: &Shares{}},
			"7 windows: 7 computed by one of 2 parties alone, 0 by several, 0 by the coordinator; a lie in other windows is " +
				"found only where a flow contradicts it"},
		{Words{One: 7, Parties: 2},
			"7 windows: 7 computed by one of 2 parties alone, 0 by several, 0 by the coordinator; the share of audits is " +
				"not on record"},
		{Words{Own: 5, Unknown: 2}, "7 windows: of 2 it is not on record which workers computed them"},
	} {
		if err := c.words.Check(); err != nil {
			t.Errorf("%+v: %v", c.words, err)
		}
		if got := c.words.String(); got != c.want {
			t.Errorf("%+v:\n%s, want\n%s", c.words, got, c.want)
		}
	}
}

// TestCheck: words that contradict themselves are refused.
func TestCheck(t *testing.T) {
	for _, w := range []Words{
		{Own: -1}, {Several: -1}, {One: -1}, {Unknown: -1}, {Parties: -1},
		{Several: 1, Parties: 1}, {One: 1},
		{Audits: &Shares{0.5, -0.1}}, {Audits: &Shares{1.5, 1}}, {Audits: &Shares{0.1, 0.2}},
	} {
		if w.Check() == nil {
			t.Errorf("%+v passes", w)
		}
	}
}

// TestLeast: of two coordinators the least of each share counts.
func TestLeast(t *testing.T) {
	a, b := Shares{1, 0.25}, Shares{0.5, 0.5}
	if got := a.Least(b); got != b.Least(a) || got != (Shares{0.5, 0.25}) {
		t.Errorf("the least of %v and %v is %v", a, b, got)
	}
}
