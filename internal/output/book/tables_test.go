package book

import (
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// TestTablesPage: a page of tables has every row, its numbers in groups and its texts escaped, and names no other file.
func TestTablesPage(t *testing.T) {
	table := &puzzle.Table{
		Name: "members",
		Columns: []puzzle.Column{
			{Name: "member", Kind: puzzle.Text}, {Name: "games", Kind: puzzle.Count, Doc: "games in all"},
		},
		Rows: [][]puzzle.Value{{{S: "a<b"}, {N: uint128.From(1234567)}}, {{S: "c"}, {N: uint128.From(9)}}},
	}
	b, err := TablesPage("a & b", "2 members", table, &puzzle.Table{Name: "none"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, want := range []string{
		"<title>a &amp; b</title>", "<p>2 members</p>", "prefers-color-scheme: dark", `<h2 id="none">`,
		`<tr><td>a&lt;b</td><td class="number">1<i>234</i><i>567</i></td></tr>`, `<td class="number">9</td>`,
		`<p class="doc"><b>games</b>: games in all.</p>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, not := range []string{"<script", "<link", "href", "src="} {
		if strings.Contains(text, not) {
			t.Errorf("the page has %q", not)
		}
	}
}
