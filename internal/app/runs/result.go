package runs

import (
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/certificate"
)

// A Result holds the totals of a complete run that are one number each, in the order of its summary.
type Result []certificate.Named

// NewResult takes the totals of a summary. Facts that are texts or lists, or have parts, are not among them.
func NewResult(sum *puzzle.Summary) (r Result) {
	for i := range sum.Facts {
		if f := &sum.Facts[i]; f.Scalar() && f.Kind != puzzle.Text {
			r = append(r, certificate.Named{Name: f.Name, Value: f.Kind.Plain(f.Value)})
		}
	}
	return r
}

// String is one line, such as "games 568630, solutions 6816".
func (r Result) String() string {
	list := make([]string, len(r))
	for i, n := range r {
		list[i] = n.Name + " " + n.Value
	}
	return strings.Join(list, ", ")
}
