package render

import (
	"bytes"
	"fmt"
	"strings"

	"pagoda/internal/puzzle/figure"
)

// Dot writes graphs in the DOT language, each as a digraph of its own.
func Dot(list []figure.Figure) []byte {
	var b bytes.Buffer
	for _, f := range list {
		if f.Graph == nil {
			continue
		}
		fmt.Fprintf(&b, "digraph %s {\n  label=%s;\n  node [shape=box, style=\"filled,rounded\", fillcolor=white];\n",
			dotQuote(f.Name), dotQuote(f.Title))
		levels := map[int][]string{}
		most := 0
		for _, n := range f.Graph.Nodes {
			label := n.Label
			if label == "" {
				label = n.ID
			}
			fmt.Fprintf(&b, "  %s [label=%s", dotQuote(n.ID), dotQuote(label))
			if n.Fill != figure.None {
				fmt.Fprintf(&b, ", fillcolor=%s, fontcolor=%s", dotQuote(shade(n.Fill)), dotQuote(over(n.Fill, 1)))
			}
			if n.Detail != "" {
				fmt.Fprintf(&b, ", tooltip=%s", dotQuote(n.Detail))
			}
			b.WriteString("];\n")
			levels[n.Level] = append(levels[n.Level], dotQuote(n.ID))
			most = max(most, n.Level)
		}
		for l := range most + 1 {
			if len(levels[l]) > 1 {
				fmt.Fprintf(&b, "  { rank=same; %s }\n", strings.Join(levels[l], "; "))
			}
		}
		for _, e := range f.Graph.Edges {
			fmt.Fprintf(&b, "  %s -> %s", dotQuote(e.From), dotQuote(e.To))
			var with []string
			if e.Label != "" {
				with = append(with, "label="+dotQuote(e.Label))
			}
			if e.Stroke != figure.None {
				with = append(with, "color="+dotQuote(shade(e.Stroke)))
			}
			if with != nil {
				fmt.Fprintf(&b, " [%s]", strings.Join(with, ", "))
			}
			b.WriteString(";\n")
		}
		b.WriteString("}\n")
	}
	return b.Bytes()
}

// dotQuote returns a quoted string of the DOT language. It escapes only quotes, and backslashes, which would join a
// quote; a line break becomes the escape for a centred line.
func dotQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
