package solitaire

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pagoda/internal/catalog/solitaire/problemfile"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
)

// argFile is the argument of import.
const argFile = "FILE"

// Values of --as.
const (
	asText      = "text"
	asConfig    = "config"
	asArguments = "arguments"
)

var importQuestion = puzzle.Question{
	Name:  "import",
	Short: "read a problem of a file, in PDDL or drawn, and write it as a config or as arguments",
	Long: `Read a problem from FILE, or - for stdin, and write it in this program's own form: its board, start and goal.
FILE is a problem of the planning competitions' domain of peg solitaire, in PDDL with (in-line FROM OVER TO), (occupied
LOCATION) and (free LOCATION); or drawings: a start, and below it a goal. Of a file of several problems --problem
chooses one.

--as arguments prints the arguments of coordinator peg solve and feasible, in one line, and --as config a config, the
count of the solutions. docs/cli.md says what is read.`,
	Examples: []string{
		"p01.pddl",
		"p01.pddl --as arguments | xargs coordinator peg solve",
		"p01.pddl --as config > p01.yaml",
		"boards.txt --problem 2 --lattice triangular",
	},
	Args: []puzzle.Argument{{Name: argFile, Doc: "a problem in PDDL, or drawings of a start and a goal", File: true}},
	Flags: slices.Concat([]setting.Setting{
		{Name: "board", Doc: "board of the drawings, by name or drawn in one line; empty: the one that they show"},
	}, latticeFlags, []setting.Setting{
		{Name: "problem", Kind: setting.Integer, Default: "0", Max: 1 << 20,
			Doc: "which problem of the file, from 1; 0: its only one"},
		{Name: "as", Kind: setting.Choice, Default: asText, Choices: []string{asText, asConfig, asArguments},
			Doc: "what the text is; other forms than text are as without it"},
	}),
	Outputs: []puzzle.Output{puzzle.Pictures},
	Answer:  answerImport,
}

// An importReport is the answer of import, beside the problem.
type importReport struct {
	Name     string `json:"name"`
	Format   string `json:"format"`   // pddl or drawing
	Problems int    `json:"problems"` // of the file
	// Arguments are those of solve and feasible; without a goal there are none.
	Arguments []string `json:"arguments"`
	Config    string   `json:"config"`
}

// A fileProblem is a problem of a file, as texts that the program reads.
type fileProblem struct {
	name, lattice, rule string
	board               string // a drawing of its holes
	start, goal         string
	notes               []string
}

func answerImport(_ context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	text, doc := r.Args[0], importReport{Format: "drawing", Arguments: []string{}}
	read := drawnProblems
	if problemfile.IsPDDL(text) {
		doc.Format, read = "pddl", pddlProblems
	}
	list, err := read(text, r.Flags)
	if err != nil {
		return nil, err
	}
	doc.Problems = len(list)
	n, err := chosenProblem(list, int(r.Flags.Uint("problem")))
	if err != nil {
		return nil, err
	}
	q := list[n]
	b, err := boardOfFile(q, r.Flags)
	if err != nil {
		return nil, err
	}
	start, err := b.StartSet(q.start)
	if err != nil {
		return nil, &setting.Error{Setting: argFile, Err: fmt.Errorf("start: %w", err)}
	}
	doc.Name = q.name
	var about puzzle.Summary
	about.Problem = understoodBoard(b)
	addStart(&about.Problem, b, &start)
	figures := []figure.Figure{{Name: "start", Title: "start", Board: drawing(b, &start)}}
	board, small := b.Small()
	goalText := ""
	switch {
	case q.goal != "" && !small:
		pegs, free, err := b.PatternSets(q.goal)
		if err != nil {
			return nil, &setting.Error{Setting: argFile, Err: fmt.Errorf("goal: %w", err)}
		}
		addPattern(&about.Problem, b, pegs, free)
		goalText = b.PatternLine(pegs, free)
	case q.goal != "":
		goals, err := peg.ParseGoals(board, q.goal)
		if err != nil {
			return nil, &setting.Error{Setting: argFile, Err: fmt.Errorf("goal: %w", err)}
		}
		goalText = goals.String()
		addGoals(&about.Problem, goals)
		if goal, ok := goals.Only(); ok {
			figures = append(figures, figure.Figure{Name: "goal", Title: "goal", Board: drawing(b, goal)})
		}
		count := countSolutions
		if goals.Dead || goals.Extreme != peg.NoExtreme {
			count = countGames // which positions these are is known when all games are
		}
		doc.Config = configOf(b, q.name, b.Line(&start), goalText, count)
	case small:
		doc.Config = configOf(b, q.name, b.Line(&start), "", countGames)
	}
	if goalText != "" {
		doc.Arguments = append(boardArguments(b), "--", b.Line(&start), goalText)
	}
	about.Notes = q.notes
	a := &puzzle.Answer{Summary: about, Document: doc, Figures: figures}
	switch as := r.Flags.Text("as"); {
	case as == asArguments && goalText == "":
		return nil, &setting.Error{Setting: argFile, Err: fmt.Errorf("problem %d has no goal", n+1),
			Hint: "draw one below its start, or write --as config"}
	case as == asConfig && !small:
		return nil, &setting.Error{Setting: "as", Hint: "write --as arguments, for solve and feasible",
			Err: fmt.Errorf("a run takes a board of at most %d holes, and this has %d", peg.MaxHoles, b.Size())}
	case as == asConfig:
		a.Summary.Problem.Lines, a.Summary.Notes, a.Text = nil, nil, doc.Config
		return a, nil
	case as == asArguments:
		a.Summary.Problem.Lines, a.Summary.Notes, a.Text = nil, nil, quoted(doc.Arguments)+"\n"
		return a, nil
	}
	if q.name != "" {
		about.AddText("name", q.name, "of the problem, in the file")
	}
	if goalText != "" {
		about.AddText("solve", "coordinator peg solve "+quoted(doc.Arguments), "the command that solves it")
	}
	a.Summary, a.Drawn = about, true
	return a, nil
}

// boardOfFile is the board of the flags, or else the one of the file.
func boardOfFile(q fileProblem, flags setting.Values) (*peg.Layout, error) {
	if flags.Text("board") != "" {
		return askedLayout(flags)
	}
	b, err := drawn("drawn", argFile, q.board, q.lattice, q.rule)
	var e *setting.Error
	if errors.As(err, &e) && e.Setting == argFile {
		e.Hint = "name or draw the board with --board"
	}
	return b, err
}

// pddlProblems reads the problems of a PDDL file, which says itself how pegs jump.
func pddlProblems(text string, flags setting.Values) ([]fileProblem, error) {
	for _, name := range []string{"board", "lattice", "rule"} {
		if v := flags.Text(name); v != "" && v != peg.Square.String() {
			return nil, &setting.Error{Setting: name, Err: errors.New("a PDDL file lists the jumps of its board"),
				Hint: "remove it"}
		}
	}
	found, err := problemfile.Read(text)
	if err != nil {
		return nil, &setting.Error{Setting: argFile, Err: err}
	}
	list := make([]fileProblem, len(found))
	for i, p := range found {
		if len(p.Holes) > peg.MaxLarge {
			return nil, &setting.Error{Setting: argFile, Err: fmt.Errorf("%w: problem %s has %d holes, at most %d are possible",
				problemfile.ErrFile, p.Name, len(p.Holes), peg.MaxLarge)}
		}
		list[i] = fileProblem{name: p.Name, lattice: peg.Square.String(), rule: p.Rule(), board: p.BoardLine(),
			start: p.StartLine(), goal: p.GoalLine(), notes: p.Notes}
	}
	return list, nil
}

// drawnProblems reads drawings, on the lattice and with the rule of the flags.
func drawnProblems(text string, flags setting.Values) ([]fileProblem, error) {
	found, err := problemfile.ReadDrawings(text)
	if err != nil {
		return nil, &setting.Error{Setting: argFile, Err: err}
	}
	list := make([]fileProblem, len(found))
	for i, p := range found {
		list[i] = fileProblem{name: p.Name, lattice: flags.Text("lattice"), rule: flags.Text("rule"), board: p.Start,
			start: p.Start, goal: p.Goal}
	}
	return list, nil
}

// chosenProblem is the place of the problem with a number, or of the only one.
func chosenProblem(list []fileProblem, number int) (int, error) {
	switch {
	case number > len(list):
		return 0, &setting.Error{Setting: "problem", Err: fmt.Errorf("the file has %s", plural.Of(len(list), "problem"))}
	case number > 0:
		return number - 1, nil
	case len(list) > 1:
		return 0, &setting.Error{Setting: argFile, Err: fmt.Errorf("it has %d problems", len(list)),
			Hint: fmt.Sprintf("choose one with --problem, from 1 to %d", len(list))}
	}
	return 0, nil
}

// boardArguments are the flags of questions that name a board.
func boardArguments(b *peg.Layout) (list []string) {
	for _, v := range boardValues(b) {
		if v.name == "drawing" {
			v.name = "board" // a flag that takes both
		}
		list = append(list, "--"+v.name, v.value)
	}
	return list
}

// quoted is a command line of words, as a shell and xargs read it.
func quoted(words []string) string {
	list := make([]string, len(words))
	for i, w := range words {
		if list[i] = w; strings.ContainsFunc(w, func(c rune) bool { return !strings.ContainsRune(plainSigns, c) }) {
			list[i] = "'" + w + "'"
		}
	}
	return strings.Join(list, " ")
}

// plainSigns are the characters that mean nothing to a shell.
const plainSigns = "abcdefghijklmnopqrstuvwxyz0123456789-./,"

// notInNames are the characters that names of runs do not have.
var notInNames = regexp.MustCompile(`[^a-z0-9_]+`)

// configOf is the config of a count, for the goal that is not "".
func configOf(b *peg.Layout, name, start, goal, count string) string {
	var s strings.Builder
	line := func(key, value string) { fmt.Fprintf(&s, "%s: %s\n", key, value) }
	line("puzzle", "peg")
	if name = strings.Trim(notInNames.ReplaceAllString(strings.ToLower(name), "-"), "-_"); name != "" {
		line("name", name)
	}
	for _, v := range boardValues(b) {
		if v.name == "drawing" || v.name == "rule" {
			v.value = fmt.Sprintf("%q", v.value)
		}
		line(v.name, v.value)
	}
	line("start", fmt.Sprintf("%q", start))
	if goal != "" {
		line("goal", fmt.Sprintf("%q", goal))
	}
	line("count", count)
	return s.String()
}
