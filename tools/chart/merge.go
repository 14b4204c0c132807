package main

import (
	"fmt"
	"slices"
	"strings"
)

// A change replaces lines [from, to) by others when a condition holds.
type change struct {
	from, to  int
	lines     []string
	condition string
}

// changes are what makes b of a: the lines outside a longest common subsequence.
func changes(a, b []string, condition string) []change {
	// common[i][j] is the length of the longest common subsequence of a[i:] and b[j:].
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out []change
	for i, j := 0, 0; i < len(a) || j < len(b); {
		if i < len(a) && j < len(b) && a[i] == b[j] {
			i, j = i+1, j+1
			continue
		}
		c := change{from: i, condition: condition}
		for i < len(a) || j < len(b) {
			if i < len(a) && j < len(b) && a[i] == b[j] {
				break
			}
			if j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1] {
				i++
			} else {
				c.lines = append(c.lines, b[j])
				j++
			}
		}
		c.to = i
		out = append(out, c)
	}
	return out
}

// merge writes lines with their changes as a template.
func merge(lines []string, all []change) (string, error) {
	slices.SortStableFunc(all, func(x, y change) int { return x.from - y.from })
	var text strings.Builder
	at := 0
	for _, c := range all {
		if c.from < at {
			return "", fmt.Errorf("%s changes line %d, %q, which another option changes too", c.condition, c.from+1,
				strings.TrimSpace(lines[c.from]))
		}
		text.WriteString(strings.Join(lines[at:c.from], ""))
		old := strings.Join(lines[c.from:c.to], "")
		at = c.to
		if len(c.lines) == 0 {
			text.WriteString("{{- if not " + c.condition + " }}\n" + old + "{{- end }}\n")
			continue
		}
		text.WriteString("{{- if " + c.condition + " }}\n" + strings.Join(c.lines, ""))
		if old != "" {
			text.WriteString("{{- else }}\n" + old)
		}
		text.WriteString("{{- end }}\n")
	}
	text.WriteString(strings.Join(lines[at:], ""))
	return text.String(), nil
}
