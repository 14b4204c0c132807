package puzzle

import (
	"context"

	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/setting"
)

// A Question is something that a puzzle can answer. The commands make "coordinator PUZZLE QUESTION" of it, with help,
// completion, --output and --out, and the API of a running coordinator a path; the answer is the same everywhere. Needs
// says which parts of a run it reads beside its arguments.
type Question struct {
	Name     string // one lower-case word: query, sample, solve, ...
	Short    string // one line, without a full stop
	Long     string // paragraphs of at most 120 columns
	Examples []string
	Args     []Argument
	Flags    []setting.Setting
	Needs    Need
	// Outputs are the forms that --output offers beside text and json, which every answer has.
	Outputs []Output
	// Instead, when not nil, are the settings of a small run of the puzzle. Where no run is named, that one is carried out
	// in memory and asked.
	Instead map[string]string
	// Decides, when not "", names the thing that exists or not, such as "a game": the answer says it in its Decision, and
	// the commands can tell it by their exit code.
	Decides string
	// Answer is a pure function of the request. An error about a flag or an argument is a *setting.Error by its name; one
	// about a run that does not answer this question wraps ErrNotAsked, such as a *NotAskedError, which also says what to
	// do. Errors of r.Run.Rows are passed on unchanged.
	Answer func(ctx context.Context, r Request) (*Answer, error)
}

// An Argument is a positional argument of a question. All but a last one that is Optional or Repeated must be given.
type Argument struct {
	Name     string // in the usage line, such as POSITION
	Doc      string // one sentence
	Optional bool
	Repeated bool     // takes all that follow
	Choices  []string // all that it can be, when not nil
	// Completions are offered by the shell among other texts that it can be; nil with Choices.
	Completions []string
	// File says that the text is the content of a file, of at most MaxFile bytes: the commands take the name of the file,
	// or - for stdin, and read it. Other callers, such as clients of the API, give the text itself.
	File bool
}

// MaxFile is the most that an argument of a file holds, in bytes.
const MaxFile = 16 << 20

// An Output is a form of an answer beside text and json.
type Output int

const (
	// Pictures are the Figures of the answer, as SVG.
	Pictures Output = iota
	// Graphs are those of the Figures that are graphs, in the DOT language.
	Graphs
	// Tables are the Stream of the answer, or a table of its summary, as CSV, JSON lines, Markdown or Parquet.
	Tables
)

// Need says which parts of a run a question reads beside its arguments.
type Need int

const (
	// NeedsNothing says that it is answered from its arguments alone.
	NeedsNothing Need = iota
	// NeedsResults is the tallies of a run, which need not be complete (see Results.Complete).
	NeedsResults
	// NeedsRows is the tallies of a complete run, and its rows.
	NeedsRows
	// MayReadRows is the same where a run is named; where none is, it is answered from its arguments alone.
	MayReadRows
)

// NeedsRun reports whether the question cannot be asked without a run.
func (q *Question) NeedsRun() bool { return q.Needs != NeedsNothing && q.Needs != MayReadRows }

// ReadsRows reports whether the question reads rows of the run that is named.
func (q *Question) ReadsRows() bool { return q.Needs == NeedsRows || q.Needs == MayReadRows }

// A Request is a question asked.
type Request struct {
	Args  []string
	Flags setting.Values
	Run   RunView // with NeedsResults and NeedsRows, and with MayReadRows where a run is named
	// Memory bounds the memory of a search, roughly, in bytes; 0 stands for the default of the question. Servers set it.
	// The context of the answer bounds its time.
	Memory int64
}

// A RunView is the part of a run that a question sees.
type RunView struct {
	ID      string // of the run
	Puzzle  Puzzle
	Results Results
	Rows    Source // nil without NeedsRows
}

// An Answer says the same in every form that is asked for. Text is made from the summary (facts, then tables, then
// notes) unless Text is set; the JSON document has the facts and tables of the summary unless Document is set.
type Answer struct {
	Summary Summary
	// Title and Sections are for people: they stand for the facts, and show those tables of the summary that they name.
	Title    string
	Sections []Section
	// Text is what people read instead of the summary; lines end with newlines.
	Text string
	// Link is the address of a page that shows the answer, for people; "" for none.
	Link string
	// Drawn has people read the figures as well, drawn with characters below Text, or below the facts where there is no
	// Text; they stand for the tables.
	Drawn bool
	// Document is a value that encoding/json marshals as an object, instead of the summary.
	Document any
	// Explained has people read the Doc of every fact that is no text, and of every column of a table.
	Explained bool
	// Figures are the pictures. All of them are drawn on one sheet, or the one that --figure names.
	Figures []figure.Figure
	// Moves, when not nil, says how the moves of a table "moves" are made by hand.
	Moves *Moves
	// Stream, when not nil, are rows that are too many for a table: printed one a line as they are found, or written in
	// any table format.
	Stream *Stream
	// Decision is the verdict of a question with Decides.
	Decision Decision
}

// A Decision is an answer in one word.
type Decision int

// The decisions. An answer to a question that decides nothing has the first.
const (
	Yes Decision = iota
	No
	Undecided
)

// A Section is a part of a text, under a heading. Its text is broken into lines when it is shown.
type Section struct {
	Heading, Text string
	Tables        []string // names of tables of the summary that belong to it
}

// A Stream is a table whose rows are made one after the other.
type Stream struct {
	Columns []Column
	// Each passes every row to emit, which does not keep it, and ends with the first error of emit. It may be called more
	// than once, and gives the same rows each time.
	Each func(ctx context.Context, emit func(row []Value) error) error
}
