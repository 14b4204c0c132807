package export

import (
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// TestMarkdownCells: the signs of Markdown and HTML stand for themselves in a cell, and numbers are aligned.
func TestMarkdownCells(t *testing.T) {
	table := puzzle.Table{
		Columns: []puzzle.Column{{Name: "text", Kind: puzzle.Text}, {Name: "n", Kind: puzzle.Count}},
		Rows: [][]puzzle.Value{
			{{S: `a\b`}, {N: uint128.From(1)}}, {{S: "a|b"}, {N: uint128.From(20)}}, {{S: "a\nb"}, {N: uint128.From(0)}},
			{{S: "a<b>&c"}, {N: uint128.From(3)}},
		},
	}
	var b strings.Builder
	if err := writeMarkdown(&b, FromTable(&table)); err != nil {
		t.Fatal(err)
	}
	want := "| text | n |\n| --- | ---: |\n" +
		`| a\\b | 1 |` + "\n" + `| a\|b | 20 |` + "\n| a<br>b | 0 |\n| a&lt;b>&amp;c | 3 |\n"
	if have := b.String(); have != want {
		t.Errorf("%s\nwant\n%s", have, want)
	}
}
