package puzzle

import "pagoda/internal/puzzle/setting"

// A Problem says how a question, or the settings of a run, were understood. It stands ahead of every answer: a board or
// a position that was read in another way than it was meant has to be seen before a number is believed.
type Problem struct {
	// Title is the problem in a few words, without the name of its board; "" where it is not needed.
	Title string
	// Lines are for people.
	Lines []Line
	// Facts are fields of the JSON document beside its own. Where the document has a field of the same name, that one
	// stays.
	Facts []Fact
}

// A Line is a part of a problem: a word for it, and the part as it was understood.
type Line struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Add appends a line.
func (p *Problem) Add(name, text string) { p.Lines = append(p.Lines, Line{Name: name, Text: text}) }

// State is the problem of settings of which New has made a puzzle. Of a puzzle that does not say it is empty.
func (d *Definition) State(v setting.Values) (Problem, error) {
	if d.Problem == nil {
		return Problem{}, nil
	}
	return d.Problem(v)
}
