package render

import (
	"encoding/json"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// understood is a summary of a problem: a field of the document has the name of one of its facts, and so has a table.
func understood() *puzzle.Summary {
	var facts puzzle.Summary
	facts.AddText("board", "toy", "")
	facts.AddNumber("jumps", 76, "")
	facts.AddNumber("holes", 33, "")
	facts.AddNumber("rows", 3, "")
	var s puzzle.Summary
	s.Problem.Add("board", "toy, 33 holes")
	s.Problem.Facts = facts.Facts
	s.AddNumber("jumps", 5, "")
	s.AddText("board", "toy", "")
	s.AddText("pairs", "all", "")
	s.Tables = []puzzle.Table{{Name: "rows", Columns: []puzzle.Column{{Name: "n"}},
		Rows: [][]puzzle.Value{{{N: uint128.From(1)}}}}}
	return &s
}

func TestProblemInDocument(t *testing.T) {
	const want = `{
  "puzzle": "peg",
  "board": "toy",
  "jumps": 5,
  "holes": 33,
  "pairs": "all",
  "rows": [
    {"n": 1}
  ]
}
`
	if got := string(Document("", "peg", understood())); got != want {
		t.Errorf("got:\n%s", got)
	}
}

func TestProblemBesideOwnFields(t *testing.T) {
	own := struct {
		Verdict string   `json:"verdict"`
		Jumps   []string `json:"jumps"`
	}{"feasible", []string{"46x44"}}
	b, err := Marshal(own, &understood().Problem)
	var got struct {
		Board, Verdict string
		Holes          int
		Jumps          []string
	}
	if err == nil {
		err = json.Unmarshal(b, &got)
	}
	if err != nil || got.Board != "toy" || got.Holes != 33 || got.Verdict != "feasible" || len(got.Jumps) != 1 ||
		strings.Count(string(b), `"jumps"`) != 1 || !strings.HasSuffix(string(b), "\n}\n") {
		t.Errorf("%v: %s", err, b)
	}
}

func TestProblemInText(t *testing.T) {
	const board = "board  toy, 33 holes\n\n"
	for want, a := range map[string]puzzle.Answer{
		"run     r1\npuzzle  toy\nboard   toy, 33 holes\npairs   all\n": {},
		board + "said\n":  {Text: "said\n"},
		board + "title\n": {Title: "title"},
	} {
		a.Summary = *understood()
		if got := written(t, &a, Form{Output: Text}); !strings.HasPrefix(got, want) {
			t.Errorf("got:\n%s\nwant first:\n%s", got, want)
		}
	}
}
