package book

import (
	"bytes"
	"html/template"

	"pagoda/internal/puzzle"
)

// TablesPage makes a page of tables, below a title and a sentence. It looks as a page of a book does, and needs neither
// another file nor a script.
func TablesPage(title, about string, tables ...*puzzle.Table) ([]byte, error) {
	style, err := pages.ReadFile("page/book.css")
	if err != nil {
		return nil, err
	}
	var grids []grid
	for _, t := range tables {
		g := newGrid(t)
		g.fill(t)
		grids = append(grids, g)
	}
	var b bytes.Buffer
	err = templates.ExecuteTemplate(&b, "tables.html", map[string]any{
		"Title": title, "About": about, "Grids": grids, "Style": template.CSS(style), //nolint:gosec // it is our own
	})
	return b.Bytes(), err
}
