package render

import (
	"bytes"
	"fmt"
	"html"
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
			label := dotQuote(nodeText(&n))
			if n.Piles != nil {
				label = dotPiles(n.Piles)
			}
			fmt.Fprintf(&b, "  %s [label=%s", dotQuote(n.ID), label)
			switch {
			case n.Fill != figure.None && n.Piles != nil:
				fmt.Fprintf(&b, ", color=%s, penwidth=2", dotQuote(shade(n.Fill)))
			case n.Fill != figure.None:
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

// dotPiles is a label of piles of bricks: a table with a row for each height, and no border where no brick is.
func dotPiles(piles [][]figure.Brick) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<<TABLE BORDER="0" CELLBORDER="1" CELLSPACING="0" CELLPADDING="0" COLOR="%s">`, shades[figure.Ink])
	most := highest(piles)
	for row := range most {
		b.WriteString("<TR>")
		for i, pile := range piles {
			if i > 0 {
				b.WriteString(`<TD BORDER="0" WIDTH="4"></TD>`)
			}
			k := row - (most - len(pile))
			if k < 0 {
				b.WriteString(`<TD BORDER="0"></TD>`)
				continue
			}
			fmt.Fprintf(&b, `<TD BGCOLOR="%s" WIDTH="20" HEIGHT="12" FIXEDSIZE="TRUE">`, shade(pile[k].Fill))
			if text := pile[k].Label; text != "" { // an empty FONT is an error
				fmt.Fprintf(&b, `<FONT POINT-SIZE="8" COLOR="%s">%s</FONT>`, over(pile[k].Fill, 1), html.EscapeString(text))
			}
			b.WriteString("</TD>")
		}
		b.WriteString("</TR>")
	}
	b.WriteString("</TABLE>>")
	return b.String()
}

// dotQuote returns a quoted string of the DOT language. It escapes only quotes, and backslashes, which would join a
// quote; a line break becomes the escape for a centred line.
func dotQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
