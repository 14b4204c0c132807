package certificate

import (
	"cmp"
	"fmt"
)

// A Difference is the first in which two certificates differ.
type Difference struct {
	Place       string // "parameter start", "layer 7, cell 12.8.8.4", "total games", ...
	Ours        string // "" when ours lacks it
	Theirs      string // "" when theirs lacks it
	Explanation string // what it means, "" when that is plain
}

func (d *Difference) String() string {
	text := fmt.Sprintf("%s: %s here, %s in the certificate", d.Place, orAbsent(d.Ours), orAbsent(d.Theirs))
	if d.Explanation != "" {
		text += " (" + d.Explanation + ")"
	}
	return text
}

func orAbsent(s string) string {
	if s == "" {
		return "absent"
	}
	return s
}

// Compare returns the first difference between a certificate and ours, nil when they are of the same run with the same
// results. Programs, checks, parties and settings do not count: settings give the parameters, which do. With other
// parameters only the totals can be compared, and the explanation says whether those agree.
func Compare(ours, theirs *Certificate) *Difference {
	if d := compareRuns(ours, theirs); d != nil {
		return d
	}
	if d := CompareTrees(&ours.Tree, &theirs.Tree); d != nil {
		return d
	}
	for _, x := range []Difference{
		{"plan", ours.Plan.String(), theirs.Plan.String(), "its cells, windows or parents are others"},
		{"rows", ours.Rows, theirs.Rows, ""},
		{"root", ours.Root.String(), theirs.Root.String(), ""},
	} {
		if x.Ours != x.Theirs {
			return &x
		}
	}
	if d := compareNamed("total", ours.Totals, theirs.Totals); d != nil {
		return d
	}
	return compareColumns(ours.Columns, theirs.Columns)
}

// compareRuns compares the puzzle, the parameters and the ID of the runs.
func compareRuns(ours, theirs *Certificate) *Difference {
	var d *Difference
	if ours.Puzzle != theirs.Puzzle {
		d = &Difference{Place: "puzzle", Ours: ours.Puzzle, Theirs: theirs.Puzzle}
	} else if d = compareNamed("parameter", ours.Params, theirs.Params); d == nil && ours.Run != theirs.Run {
		return &Difference{Place: "run", Ours: ours.Run, Theirs: theirs.Run,
			Explanation: "the parameters are the same: the data formats differ, or the certificate's ID is false"}
	}
	if d == nil {
		return nil
	}
	d.Explanation = "another run; totals differ too"
	if compareNamed("", ours.Totals, theirs.Totals) == nil {
		d.Explanation = "another run; all totals are the same"
	}
	return d
}

// compareNamed names the first that differs.
func compareNamed(what string, ours, theirs []Named) *Difference {
	for i := range max(len(ours), len(theirs)) {
		switch {
		case i >= len(ours):
			return &Difference{Place: what + " " + theirs[i].Name, Theirs: theirs[i].Value}
		case i >= len(theirs):
			return &Difference{Place: what + " " + ours[i].Name, Ours: ours[i].Value}
		case ours[i].Name != theirs[i].Name:
			return &Difference{Place: what + " " + ours[i].Name, Ours: ours[i].Value, Theirs: value(theirs, ours[i].Name)}
		case ours[i].Value != theirs[i].Value:
			return &Difference{Place: what + " " + ours[i].Name, Ours: ours[i].Value, Theirs: theirs[i].Value}
		}
	}
	return nil
}

// value is the value of a name, "" when there is none.
func value(list []Named, name string) string {
	for _, x := range list {
		if x.Name == name {
			return x.Value
		}
	}
	return ""
}

// CompareTrees names the first layer and cell in which two trees differ, nil when there is none.
func CompareTrees(ours, theirs *Tree) *Difference {
	for i := range max(len(ours.Layers), len(theirs.Layers)) {
		switch {
		case i >= len(ours.Layers) || i < len(theirs.Layers) && theirs.Layers[i].Layer < ours.Layers[i].Layer:
			return &Difference{Place: fmt.Sprintf("layer %d", theirs.Layers[i].Layer), Theirs: theirs.Layers[i].Root.String()}
		case i >= len(theirs.Layers) || ours.Layers[i].Layer < theirs.Layers[i].Layer:
			return &Difference{Place: fmt.Sprintf("layer %d", ours.Layers[i].Layer), Ours: ours.Layers[i].Root.String()}
		}
		if d := compareLayers(&ours.Layers[i], &theirs.Layers[i]); d != nil {
			return d
		}
	}
	return nil
}

func compareLayers(ours, theirs *Layer) *Difference {
	place := func(key string) string { return fmt.Sprintf("layer %d, cell %s", ours.Layer, key) }
	for i := range max(len(ours.Cells), len(theirs.Cells)) {
		switch {
		case i >= len(ours.Cells) || i < len(theirs.Cells) && cmp.Less(theirs.Cells[i].Key, ours.Cells[i].Key):
			return &Difference{Place: place(theirs.Cells[i].Key), Theirs: theirs.Cells[i].Root.String()}
		case i >= len(theirs.Cells) || cmp.Less(ours.Cells[i].Key, theirs.Cells[i].Key):
			return &Difference{Place: place(ours.Cells[i].Key), Ours: ours.Cells[i].Root.String()}
		}
		a, b := &ours.Cells[i], &theirs.Cells[i]
		switch {
		case a.Windows != b.Windows:
			return &Difference{Place: place(a.Key) + ", windows", Ours: fmt.Sprint(a.Windows), Theirs: fmt.Sprint(b.Windows)}
		case a.Root != b.Root && a.Windows == 1:
			return &Difference{Place: place(a.Key) + ", its only window", Ours: a.Root.String(), Theirs: b.Root.String()}
		case a.Root != b.Root:
			return &Difference{Place: place(a.Key), Ours: a.Root.String(), Theirs: b.Root.String(),
				Explanation: fmt.Sprintf("in one or more of its %d windows", a.Windows)}
		}
	}
	return nil
}

// CompareCells compares the cells that both trees have, for a run that is not complete. It names the first that differs
// and counts those compared and the windows in them.
func CompareCells(ours, theirs *Tree) (d *Difference, cells, windows int) {
	known := make(map[string]*Cell)
	for i := range theirs.Layers {
		l := &theirs.Layers[i]
		for k := range l.Cells {
			known[fmt.Sprintf("%d/%s", l.Layer, l.Cells[k].Key)] = &l.Cells[k]
		}
	}
	for i := range ours.Layers {
		l := &ours.Layers[i]
		for k := range l.Cells {
			c := &l.Cells[k]
			other, ok := known[fmt.Sprintf("%d/%s", l.Layer, c.Key)]
			if !ok {
				return &Difference{Place: fmt.Sprintf("layer %d, cell %s", l.Layer, c.Key), Ours: c.Root.String()}, cells, windows
			}
			cells, windows = cells+1, windows+c.Windows
			one, two := Layer{Layer: l.Layer, Cells: []Cell{*c}}, Layer{Layer: l.Layer, Cells: []Cell{*other}}
			if d := compareLayers(&one, &two); d != nil {
				return d, cells, windows
			}
		}
	}
	return nil, cells, windows
}
