package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// TestDocumentedBounds: theory.md has the bounds of all jumps of the English centre game as peg bounds prints them. A
// row is the jumps that symmetries make of each other.
func TestDocumentedBounds(t *testing.T) {
	type bounds struct {
		Cone             int64
		ConeLeast        int64 `json:"cone_least"`
		IntegerCone      int64 `json:"integer_cone"`
		IntegerConeLeast int64 `json:"integer_cone_least"`
	}
	var doc struct {
		Jumps []struct {
			Jump string
			bounds
		}
	}
	text := said(t, "peg", "bounds", "center", "center", "--output", "json")
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	of := map[string]bounds{}
	for _, j := range doc.Jumps {
		of[j.Jump] = j.bounds
	}
	b := pegtest.Named(t, "english")
	type class struct {
		jumps []string
		bounds
	}
	var classes []class
	seen := map[string]bool{}
	for _, j := range b.Jumps {
		c := class{bounds: of[peg.FormatJump(b, j)]}
		for _, g := range b.Symmetries() {
			if name := peg.FormatJump(b, g.Jump(j)); !seen[name] {
				seen[name] = true
				c.jumps = append(c.jumps, name)
				if of[name] != c.bounds || of[name].ConeLeast != 0 || of[name].IntegerConeLeast != 0 {
					t.Errorf("%s has the bounds %+v, want %+v without least numbers", name, of[name], c.bounds)
				}
			}
		}
		if c.jumps != nil {
			classes = append(classes, c)
		}
	}
	slices.SortStableFunc(classes, func(a, b class) int {
		return int(2*(b.IntegerCone-a.IntegerCone) + b.Cone - a.Cone)
	})
	lines := []string{"| jumps | by the cone | by the integer cone | which |", "| ---: | ---: | ---: | --- |"}
	for _, c := range classes {
		lines = append(lines, fmt.Sprintf("| %d | %d | %d | %s |", len(c.jumps), c.Cone, c.IntegerCone,
			strings.Join(c.jumps, " ")))
	}
	if len(seen) != 76 || len(doc.Jumps) != 76 {
		t.Errorf("%d jumps are in classes, and %d have bounds, want 76", len(seen), len(doc.Jumps))
	}
	documented(t, "theory.md", "bounds", lines)
}
