package certificate

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/run/certificate/canonical"
	"pagoda/internal/run/trust"
)

const (
	// Form is the value of the field "certificate".
	Form = "pagoda run"
	// Version is the version of the form.
	Version = 1
	// MaxBytes bounds the size of a certificate to read.
	MaxBytes = 256 << 20
)

// ErrForm is wrapped when a document is no certificate, or contradicts itself.
var ErrForm = errors.New("bad certificate")

// A Certificate states the results of a completed run. Its JSON has these fields in this order.
type Certificate struct {
	Certificate string  `json:"certificate"` // Form
	Version     int     `json:"version"`     // Version
	Program     Program `json:"program"`
	Run         string  `json:"run"` // run ID: hash of puzzle, parameters and data format
	Puzzle      string  `json:"puzzle"`
	Params      []Named `json:"params"`   // the parameters that the run ID is made of, in their order
	Settings    []Named `json:"settings"` // the settings that give these parameters
	Plan        Hash    `json:"plan"`     // see PlanHasher
	Tree
	Rows   string  `json:"rows"`   // stored, in decimal digits
	Totals []Named `json:"totals"` // the facts of the run's summary; numbers in decimal digits
	Checks Checks  `json:"checks"`
	// Parties counts the workers on record that reported the windows; 0 where they are not on record.
	Parties int `json:"parties"`
	// Words counts the windows by the parties that computed them; nil in certificates of older versions of the program.
	Words *trust.Words `json:"words,omitempty"`
	// Columns are those of the tables of the results; nil in certificates of older versions of the program.
	Columns []Column `json:"columns,omitempty"`
}

// Program says what computed the run.
type Program struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Format   int    `json:"format"` // of the data
}

// Named is a name with a value.
type Named struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Checks are the checks that were made, beside those without which there is no certificate: that the digest of every
// window is the same whenever it is written or reported again, and that the totals do not contradict each other.
type Checks struct {
	Edges int `json:"edges"` // edges between cells: both ends counted the same flow
	// SecondCounts are results that were counted again in another way, and agreed: for example by a join one layer earlier
	// with the sweeps exchanged.
	SecondCounts []string `json:"second_counts"`
	Read         int      `json:"read"`       // windows whose rows were read and match their digest
	Recomputed   int      `json:"recomputed"` // windows that verify computed again: they came out the same
	Audited      int      `json:"audited"`    // windows that different workers computed, with the same result
	Auditors     int      `json:"auditors"`   // workers that took part in audits
}

// Merge adds the checks of another certificate of the same run.
func (c *Checks) Merge(o *Checks) {
	c.Edges = max(c.Edges, o.Edges)
	c.Read = max(c.Read, o.Read)
	c.Recomputed = max(c.Recomputed, o.Recomputed)
	c.Audited = max(c.Audited, o.Audited)
	c.Auditors = max(c.Auditors, o.Auditors)
	if len(o.SecondCounts) > len(c.SecondCounts) {
		c.SecondCounts = o.SecondCounts
	}
}

// Encode writes c for people and programs: JSON with one indent.
func (c *Certificate) Encode() ([]byte, error) { return canonical.Indent(c) }

// Decode reads a certificate and checks that it does not contradict itself, see [Certificate.Check]. Space between the
// parts of the JSON does not matter; unknown, missing, doubled and disordered fields are refused, as is any number or
// text that is written otherwise than Encode writes it. Errors wrap ErrForm.
func Decode(data []byte) (*Certificate, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%w: %d bytes, at most %d are allowed", ErrForm, len(data), MaxBytes)
	}
	var c Certificate
	if err := canonical.Decode(data, &c); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForm, err)
	}
	if c.Certificate != Form || c.Version != Version {
		return nil, fmt.Errorf("%w: it is %.40q of version %d, this program reads %q of version %d",
			ErrForm, c.Certificate, c.Version, Form, Version)
	}
	return &c, c.Check()
}

var runForm = regexp.MustCompile(`^[0-9a-f]{12}$`)

// Check says where c contradicts itself: counts do not add up, the order is not the tree's, or a root is not the hash
// of the levels below it. Errors wrap ErrForm. It cannot tell whether the windows are right, nor whether the run ID
// belongs to the parameters, which depends on the data format.
func (c *Certificate) Check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrForm, fmt.Sprintf(format, args...))
	}
	if !runForm.MatchString(c.Run) {
		return bad("run %.40q is not a run ID", c.Run)
	}
	for what, list := range map[string][]Named{"params": c.Params, "settings": c.Settings, "totals": c.Totals} {
		if name, ok := distinct(list); !ok {
			return bad("%s: the name %.80q is empty or there twice", what, name)
		}
	}
	if err := checkColumns(c.Columns); err != nil {
		return bad("%v", err)
	}
	if !decimal(c.Rows) {
		return bad("rows %.40q is not a number", c.Rows)
	}
	windows := 0
	for i := range c.Layers {
		l := &c.Layers[i]
		if l.Layer < 0 || i > 0 && l.Layer <= c.Layers[i-1].Layer {
			return bad("layer %d is out of order", l.Layer)
		}
		if err := l.check(); err != nil {
			return bad("layer %d: %v", l.Layer, err)
		}
		windows += l.Windows
	}
	root, _, err := rootOf(c.Run, c.Layers, windows)
	switch {
	case err != nil:
		return err
	case windows != c.Windows:
		return bad("it says %d windows, and its layers have %d", c.Windows, windows)
	case root != c.Root:
		return bad("the root is %s, and that of its layers %s", c.Root, root)
	}
	k := &c.Checks
	for what, n := range map[string]int{
		"edges": k.Edges, "auditors": k.Auditors, "parties": c.Parties,
		"read": min(k.Read, windows-k.Read), "recomputed": min(k.Recomputed, windows-k.Recomputed),
		"audited": min(k.Audited, windows-k.Audited),
	} {
		if n < 0 {
			return bad("%s is below 0 or above the number of windows", what)
		}
	}
	if w := c.Words; w != nil {
		if err := w.Check(); err != nil {
			return bad("words: %v", err)
		}
		if n := w.Windows(); n != windows {
			return bad("words are of %d windows, and it says %d", n, windows)
		}
	}
	return nil
}

func (l *Layer) check() error {
	windows := 0
	for i := range l.Cells {
		c := &l.Cells[i]
		switch {
		case !puzzle.ValidKey(c.Key) || i > 0 && c.Key <= l.Cells[i-1].Key:
			return fmt.Errorf("cell %.80q is not a name, or out of order", c.Key)
		case c.Windows < 1:
			return fmt.Errorf("cell %s has %d windows", c.Key, c.Windows)
		}
		windows += c.Windows
	}
	root, _, err := rootOfCells(l.Cells)
	switch {
	case err != nil:
		return err
	case len(l.Cells) == 0:
		return errors.New("it has no cells")
	case windows != l.Windows:
		return fmt.Errorf("it says %d windows, and its cells have %d", l.Windows, windows)
	case root != l.Root:
		return fmt.Errorf("its root is %s, and that of its cells %s", l.Root, root)
	}
	return nil
}

// Checked says which checks are on record.
func (c *Certificate) Checked() string {
	k := &c.Checks
	text := fmt.Sprintf("flow on %s, %s, %s read and %d recomputed, %d computed by several workers",
		plural.Of(k.Edges, "edge"), plural.Of(len(k.SecondCounts), "second count"), plural.Of(k.Read, "window"),
		k.Recomputed, k.Audited)
	if c.Parties > 0 {
		text += "; " + plural.Of(c.Parties, "worker") + " on record"
	}
	return text
}

// distinct reports whether names are there and no two are the same, and otherwise which.
func distinct(list []Named) (name string, ok bool) {
	seen := make(map[string]bool, len(list))
	for _, x := range list {
		if x.Name == "" || seen[x.Name] {
			return x.Name, false
		}
		seen[x.Name] = true
	}
	return "", true
}

func decimal(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == "" && (s == "0" || s[0] != '0')
}
