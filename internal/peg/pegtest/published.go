package pegtest

import (
	_ "embed"
	"encoding/json"
	"testing"
)

// A PublishedProblem is a problem of the English board with its right answer.
type PublishedProblem struct {
	Start, Goal string
	Pegs        int
	// Solvable reports whether a game leads from Start to Goal.
	Solvable bool `json:"-"`
	// LeastSweeps is the least number of moves of a solution; 0 where it is not published.
	LeastSweeps int `json:"least_sweeps"`
}

//go:embed published.json
var published []byte

// Published returns the problems of published.json.
func Published(t testing.TB) (list []PublishedProblem) {
	t.Helper()
	var file struct {
		Solvable, Unsolvable []PublishedProblem
		Large                []PublishedProblem `json:"solvable_large"`
	}
	if err := json.Unmarshal(published, &file); err != nil {
		t.Fatal(err)
	}
	for _, p := range append(file.Solvable, file.Large...) {
		p.Solvable = true
		list = append(list, p)
	}
	list = append(list, file.Unsolvable...)
	if len(list) != 25 {
		t.Fatalf("%d problems are published", len(list))
	}
	return list
}
