package runs

import (
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle"
)

// Summary is a summary of the run in the form that --output asks for: text or json.
func (j *Job) Summary(sum *puzzle.Summary, output string, style render.Style) []byte {
	told := *sum
	told.Problem = j.Problem
	if output == render.JSON {
		return render.Document(j.ID, j.Definition.Name, &told)
	}
	return render.Report(j.ID, j.Definition.Name, &told, style)
}

// About names the subject of an answer about the run.
func (j *Job) About(q *puzzle.Question) render.About {
	return render.About{
		Run:    j.ID,
		Puzzle: j.Definition.Name,
		Title:  j.Config.Text("name") + ": " + j.Definition.Name + " " + q.Name,
	}
}
