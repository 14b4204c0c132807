package main

import (
	"slices"
	"strings"
	"testing"

	"pagoda/internal/catalog"
)

// TestArgumentsLast demands that what looks like a flag and is none comes behind all flags, and that nothing else
// moves.
func TestArgumentsLast(t *testing.T) {
	a := &app{catalog: catalog.All}
	for args, want := range map[string]string{
		"peg query --data d start":                  "peg query --data d start",
		"peg query --ooo/.../--. --data d":          "peg query --data d -- --ooo/.../--.",
		"peg query ----./---o-o --data d":           "peg query --data d -- ----./---o-o",
		"peg query --data d -- ----./---o-o":        "peg query --data d -- ----./---o-o",
		"peg query --data=d --output json -.-":      "peg query --data=d --output json -- -.-",
		"peg sample -n 3 --data -.-":                "peg sample -n 3 --data -.-",
		"peg sample -n3 --seed -1":                  "peg sample -n3 --seed -1",
		"tiles solve RV/BW --out - --limit -1":      "tiles solve RV/BW --out - --limit -1",
		"tiles solve --inpt json RV/BW":             "tiles solve --inpt json RV/BW",
		"peg query":                                 "peg query",
		"export --data d --table layers --out -x-y": "export --data d --table layers --out -x-y",
		"run --bad-flag x":                          "run --bad-flag x",
		"none query --ooo/...":                      "none query --ooo/...",
	} {
		got := argumentsLast(a.root(), strings.Fields(args))
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s\nbecomes %s\nwant    %s", args, strings.Join(got, " "), want)
		}
	}
}
