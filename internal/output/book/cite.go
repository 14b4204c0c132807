package book

import (
	"fmt"
	"strings"
)

// citation is a result in one paragraph, as a list of references has it.
func (r *Record) citation() string {
	c := r.Certificate
	text := fmt.Sprintf("Pagoda, version %s: %s. Run %s, root %s", c.Program.Version, r.title(), c.Run, c.Root)
	if r.Computed != nil {
		text += ", " + r.Computed.Completed
	}
	return text + "."
}

// title is puzzle, board and question in a line.
func (r *Record) title() string { return r.Puzzle + ", " + r.Board + ": " + r.Question }

// bibTeX is the same as an entry of a BibTeX file.
func (r *Record) bibTeX() string {
	c := r.Certificate
	var b strings.Builder
	fmt.Fprintf(&b, "@misc{pagoda-%s,\n  author = {{Pagoda}},\n  title = {{%s}},\n", c.Run, latex.Replace(r.title()))
	if r.Computed != nil {
		fmt.Fprintf(&b, "  year = {%s},\n", r.Computed.Completed[:4])
	}
	fmt.Fprintf(&b, "  howpublished = {Pagoda, version %s},\n  note = {Run %s, root %s}\n}\n",
		latex.Replace(c.Program.Version), c.Run, c.Root)
	return b.String()
}

// latex writes the characters that have a meaning of their own in LaTeX.
var latex = strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "&", `\&`, "%", `\%`, "$", `\$`,
	"#", `\#`, "_", `\_`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`)
