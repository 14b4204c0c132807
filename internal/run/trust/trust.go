// Package trust counts the windows of a run by the parties that computed them, and gives the probability that audits
// miss a lie. A word is one computation of a window by one party; the ledger has the words of every window.
package trust

import (
	"errors"
	"fmt"

	"pagoda/internal/puzzle/plural"
)

// Words counts the committed windows of a run by the parties that computed them, each by itself, with the same result.
// Parties that were refused do not count.
type Words struct {
	Own     int `json:"own"`     // by the coordinator, alone or beside workers;
	Several int `json:"several"` // by several parties of workers;
	One     int `json:"one"`     // by one of them alone;
	Unknown int `json:"unknown"` // not on record, in ledgers of older versions.
	Parties int `json:"parties"` // of workers, in all windows
	// Audits are the least shares that coordinators of the run have drawn; nil: not on record.
	Audits *Shares `json:"audits,omitempty"`
}

// Shares are the shares of the windows of workers that are drawn to be computed a second time, 0 to 1.
type Shares struct {
	All float64 `json:"share"`     // by another party or by the coordinator
	Own float64 `json:"own_share"` // by the coordinator
}

// Least is the lesser of each share of two.
func (s Shares) Least(o Shares) Shares { return Shares{min(s.All, o.All), min(s.Own, o.Own)} }

// Unseen is the probability that a lie in one window, beyond the first ones of its party, goes unseen by audits.
// accomplices says that all other workers confirm it.
func (s Shares) Unseen(accomplices bool) float64 {
	if accomplices {
		return 1 - s.Own
	}
	return 1 - s.All
}

// Windows counts the windows.
func (w *Words) Windows() int { return w.Own + w.Several + w.One + w.Unknown }

// Settled reports whether no window is on the word of workers: the coordinator has computed each itself.
func (w *Words) Settled() bool { return w.Own == w.Windows() }

// Check says where w contradicts itself.
func (w *Words) Check() error {
	if min(w.Own, w.Several, w.One, w.Unknown, w.Parties) < 0 {
		return errors.New("a number is below 0")
	}
	if w.Several > 0 && w.Parties < 2 || w.One > 0 && w.Parties < 1 {
		return fmt.Errorf("%s cannot have computed these windows", plural.Of(w.Parties, "party of workers"))
	}
	if a := w.Audits; a != nil && !(0 <= a.Own && a.Own <= a.All && a.All <= 1) {
		return fmt.Errorf("the shares %g and %g of audits are not in order, from 0 to 1", a.Own, a.All)
	}
	return nil
}

// String says it in one line, for people.
func (w *Words) String() string {
	n := w.Windows()
	switch {
	case n == 0:
		return "no window is committed"
	case w.Settled() && w.Parties == 0:
		return fmt.Sprintf("%s: each computed by the coordinator itself; nothing rests on workers", plural.Of(n, "window"))
	case w.Settled():
		return fmt.Sprintf("%s: each computed by the coordinator itself too; no lie of a worker goes unseen",
			plural.Of(n, "window"))
	case w.Unknown > 0:
		return fmt.Sprintf("%s: of %d it is not on record which workers computed them", plural.Of(n, "window"), w.Unknown)
	}
	text := fmt.Sprintf("%s: %d computed by one of %s alone, %d by several, %d by the coordinator; ",
		plural.Of(n, "window"), w.One, plural.Of(w.Parties, "party"), w.Several, w.Own)
	return text + w.unseen()
}

// unseen says what audits leave unseen, where windows are on the word of workers.
func (w *Words) unseen() string {
	a := w.Audits
	switch {
	case a == nil:
		return "the share of audits is not on record"
	case w.One == 0:
		return fmt.Sprintf("a lie in k windows goes unseen only if all auditors confirm it, with probability %s at most",
			power(a.Unseen(true)))
	case a.All == 0:
		return "a lie in other windows is found only where a flow contradicts it"
	case a.All == a.Own:
		return fmt.Sprintf("a lie in k windows goes unseen with probability %s at most, whatever other workers confirm",
			power(a.Unseen(true)))
	}
	return fmt.Sprintf("a lie in k windows of one party goes unseen with probability %s at most, or %s if all other "+
		"workers confirm it", power(a.Unseen(false)), power(a.Unseen(true)))
}

// power writes the k-th power of a probability.
func power(p float64) string { return fmt.Sprintf("%.6g^k", p) }
