package render

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"pagoda/internal/output/export"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/setting"
)

// Values of --output that every answer has.
const (
	Text = "text"
	JSON = "json"
	SVG  = "svg"
	DOT  = "dot"
)

// tables are the forms of a table.
var tables = []string{string(export.CSV), string(export.JSONL), string(export.Markdown), string(export.Parquet)}

// Outputs lists the forms in which a question's answer can be asked for.
func Outputs(q *puzzle.Question) []string {
	list := []string{Text, JSON}
	for _, o := range q.Outputs {
		switch o {
		case puzzle.Pictures:
			list = append(list, SVG)
		case puzzle.Graphs:
			list = append(list, DOT)
		case puzzle.Tables:
			list = append(list, tables...)
		}
	}
	return list
}

// A Form says how an answer is wanted.
type Form struct {
	Output string // one of Outputs
	Figure string // the one picture that is wanted; "": all
	Table  string // the table that is wanted; "": the stream, or the first table
	Style  Style  // of a text
}

// Check returns a *setting.Error when the form does not fit the question, before anything is answered.
func (f Form) Check(q *puzzle.Question) error {
	list := Outputs(q)
	pictures := f.Output == SVG || f.Output == DOT
	switch {
	case !slices.Contains(list, f.Output):
		return &setting.Error{Setting: "output", Hint: "write --output " + JSON,
			Err: fmt.Errorf("%s is not one of %s", setting.Quote(f.Output), setting.List(list))}
	case f.Figure != "" && !pictures:
		return &setting.Error{Setting: "figure", Err: fmt.Errorf("--output %s has no pictures", f.Output),
			Hint: "write --output svg"}
	case f.Table != "" && !slices.Contains(tables, f.Output):
		return &setting.Error{Setting: "table", Err: fmt.Errorf("--output %s has all tables", f.Output),
			Hint: "write --output csv"}
	}
	return nil
}

// ContentType is the media type of an output.
func ContentType(output string) string {
	switch output {
	case Text, DOT, string(export.Markdown):
		return "text/plain; charset=utf-8"
	case JSON:
		return "application/json"
	case SVG:
		return "image/svg+xml"
	case string(export.CSV):
		return "text/csv; charset=utf-8"
	}
	return "application/octet-stream"
}

// About names the subject of an answer.
type About struct {
	Run    string // ID of the run, "" when it took none
	Puzzle string
	Title  string // of a sheet of several pictures
}

// Answer writes an answer in a form that has been checked. When the answer lacks a part that the form names, such as a
// table, Answer returns a *setting.Error and writes nothing.
func Answer(ctx context.Context, w io.Writer, a *puzzle.Answer, about About, f Form) error {
	switch f.Output {
	case Text:
		return answerText(ctx, w, a, about, f.Style)
	case JSON:
		return answerJSON(ctx, w, a, about)
	case SVG, DOT:
		list, err := figures(a, f)
		if err != nil {
			return err
		}
		if f.Output == DOT {
			_, err = w.Write(Dot(list))
			return err
		}
		title := about.Title
		if len(list) == 1 {
			title = list[0].Title
		}
		_, err = w.Write(Picture(title, list))
		return err
	}
	rows, err := table(ctx, a, f.Table)
	if err != nil {
		return err
	}
	o := export.Options{Origin: []export.Note{{Name: "puzzle", Text: about.Puzzle}}}
	if about.Run != "" {
		o.Origin = append(o.Origin, export.Note{Name: "run", Text: about.Run})
	}
	return export.Write(w, export.Format(f.Output), rows, o)
}

// figures are the pictures that are wanted.
func figures(a *puzzle.Answer, f Form) ([]figure.Figure, error) {
	var list []figure.Figure
	var names []string
	for _, x := range a.Figures {
		if f.Output == DOT && x.Graph == nil {
			continue
		}
		names = append(names, x.Name)
		if f.Figure == "" || x.Name == f.Figure {
			list = append(list, x)
		}
	}
	switch {
	case len(names) == 0:
		return nil, &setting.Error{Setting: "output", Err: fmt.Errorf("the answer has no picture for %s", f.Output),
			Hint: "write --output " + Text}
	case len(list) == 0:
		return nil, &setting.Error{
			Setting: "figure",
			Err:     fmt.Errorf("the answer has no picture %s", setting.Quote(f.Figure)),
			Hint:    "it has " + setting.List(names),
		}
	}
	return list, nil
}

// table is the table that is wanted: the stream, or one of the summary.
func table(ctx context.Context, a *puzzle.Answer, name string) (export.Rows, error) {
	if a.Stream != nil && (name == "" || name == streamName) {
		return export.Rows{Columns: a.Stream.Columns, Each: func(emit func([]puzzle.Value) error) error {
			return a.Stream.Each(ctx, emit)
		}}, nil
	}
	var names []string
	for i := range a.Summary.Tables {
		if t := &a.Summary.Tables[i]; name == "" || t.Name == name {
			return export.FromTable(t), nil
		}
		names = append(names, a.Summary.Tables[i].Name)
	}
	return export.Rows{}, &setting.Error{
		Setting: "table",
		Err:     fmt.Errorf("the answer has no table %s", setting.Quote(name)),
		Hint:    "it has " + setting.List(names),
	}
}

// streamName is the name of a stream among the tables of a document.
const streamName = "rows"

func answerText(ctx context.Context, w io.Writer, a *puzzle.Answer, about About, style Style) error {
	s := Sheet{Style: style, Explained: a.Explained}
	switch {
	case a.Text != "":
		s.Problem(&a.Summary.Problem)
		s.Printf("%s", a.Text)
	case a.Title != "" || a.Sections != nil:
		s.Problem(&a.Summary.Problem)
		s.Printf("%s\n", a.Title)
		s.sections(a)
	case a.Drawn:
		s.head(about.Run, about.Puzzle, &a.Summary)
		s.totals(&a.Summary)
		s.notes(&a.Summary)
	default:
		s.report(about.Run, about.Puzzle, &a.Summary)
	}
	if a.Link != "" {
		s.Flush()
		s.Printf("open    %s\n", a.Link)
	}
	if a.Drawn {
		s.figures(a.Figures)
	}
	if _, err := w.Write(s.Bytes()); err != nil || a.Stream == nil {
		return err
	}
	out := bufio.NewWriter(w)
	names := make([]string, len(a.Stream.Columns))
	for i, c := range a.Stream.Columns {
		names[i] = c.Name
	}
	_, _ = fmt.Fprintf(out, "\n%s\n", strings.Join(names, "\t")) // a failure stays with the writer
	err := a.Stream.Each(ctx, func(row []puzzle.Value) error {
		fields := make([]string, len(row))
		for i, c := range a.Stream.Columns {
			fields[i] = style.plain(c.Kind, row[i])
		}
		_, err := fmt.Fprintln(out, strings.Join(fields, "\t"))
		return err
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

func answerJSON(ctx context.Context, w io.Writer, a *puzzle.Answer, about About) error {
	if a.Document != nil {
		b, err := Marshal(a.Document, &a.Summary.Problem)
		if err != nil {
			return err
		}
		_, err = w.Write(b)
		return err
	}
	if a.Stream == nil {
		_, err := w.Write(Document(about.Run, about.Puzzle, &a.Summary))
		return err
	}
	out := bufio.NewWriter(w)
	b := append(members(about.Run, about.Puzzle, &a.Summary), ",\n  \""+streamName+"\": ["...)
	err := a.Stream.Each(ctx, func(row []puzzle.Value) error {
		_, err := out.Write(appendRow(append(b, "\n    "...), a.Stream.Columns, row))
		b = append(b[:0], ',')
		return err
	})
	if err != nil {
		return err
	}
	if b[0] == '{' { // there was no row
		_, _ = out.Write(b)
	}
	_, _ = out.WriteString("\n  ]\n}\n") // a failure stays with the writer
	return out.Flush()
}
