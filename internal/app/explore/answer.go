package explore

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"pagoda/internal/app/api"
	"pagoda/internal/app/cli"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
)

// An answerDoc is an answer to a question: the document and the text of the command line, and the pictures.
type answerDoc struct {
	Document json.RawMessage `json:"document"`
	Text     string          `json:"text,omitempty"`
	Problem  []puzzle.Line   `json:"problem,omitempty"` // as the question was understood
	Figures  []figureDoc     `json:"figures"`
	Moves    *movesDoc       `json:"moves,omitempty"`
}

// A movesDoc says how the moves of the document are made by hand: package puzzle has the meaning.
type movesDoc struct {
	Presses [][]string `json:"presses"`
	Best    int        `json:"best"`
	Over    bool       `json:"over"`
	// Refused are pairs of presses that make no move, with the reason.
	Refused []puzzle.Refusal `json:"refused,omitempty"`
}

// parseAsked reads the parameters of a question: arg once for each argument, and every flag at most once.
func parseAsked(q *puzzle.Question, values url.Values) (puzzle.Request, error) {
	flags := map[string]string{}
	for name, list := range values {
		switch {
		case name == "arg":
		case len(list) != 1:
			return puzzle.Request{}, &setting.Error{Setting: name, Err: errors.New("it is given several times")}
		default:
			flags[name] = list[0]
		}
	}
	return q.Request(values["arg"], flags)
}

// asked reads the parameters of a request; nil when they are wrong, and then it has been answered.
func asked(w http.ResponseWriter, r *http.Request, q *puzzle.Question) *puzzle.Request {
	values, err := url.ParseQuery(r.URL.RawQuery)
	var request puzzle.Request
	if err == nil {
		request, err = parseAsked(q, values)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return nil
	}
	return &request
}

// serveRunAnswer answers a question about a run.
func (s *Server) serveRunAnswer(w http.ResponseWriter, r *http.Request, o *offer) {
	q := o.Definition.Question(r.PathValue("question"))
	if q == nil || q.Needs == puzzle.NeedsNothing {
		refuse(w, http.StatusNotFound, errNoQuestion)
		return
	}
	request := asked(w, r, q)
	if request == nil {
		return
	}
	err := s.answerOf(w, r, o, q, request)
	if err != nil && o.rewritten() {
		err = s.answerOf(w, r, o, q, request)
	}
	if err != nil {
		refuse(w, httpStatus(err), err)
	}
}

// answerOf answers a question about a run. Nothing has been written when there is an error.
func (s *Server) answerOf(
	w http.ResponseWriter, r *http.Request, o *offer, q *puzzle.Question, request *puzzle.Request,
) error {
	run, done, err := o.lend(s.ctx, s.o.Loader, q.ReadsRows())
	if err != nil {
		return err
	}
	defer done()
	a, err := run.Ask(r.Context(), q, *request)
	if err == nil {
		s.write(w, r, a, run.About(q))
	}
	return err
}

// serveAnswer answers a question that needs no run.
func (s *Server) serveAnswer(w http.ResponseWriter, r *http.Request) {
	d, err := s.o.Loader.Catalog.Find(r.PathValue("puzzle"))
	if err != nil {
		refuse(w, http.StatusNotFound, err)
		return
	}
	q := d.Question(r.PathValue("question"))
	if q == nil || q.NeedsRun() {
		refuse(w, http.StatusNotFound, errNoQuestion)
		return
	}
	request := asked(w, r, q)
	if request == nil {
		return
	}
	ctx, cancel := api.Bound(r.Context(), q, request)
	defer cancel()
	a, err := q.Answer(ctx, *request)
	switch overdue := api.Overdue(ctx, err); {
	case overdue != nil:
		refuse(w, http.StatusServiceUnavailable, overdue)
	case err != nil:
		refuse(w, httpStatus(err), err)
	default:
		s.write(w, r, a, render.About{Puzzle: d.Name, Title: d.Name + " " + q.Name})
	}
}

// write sends an answer.
func (s *Server) write(w http.ResponseWriter, r *http.Request, a *puzzle.Answer, about render.About) {
	var document, text bytes.Buffer
	err := render.Answer(r.Context(), &document, a, about, render.Form{Output: render.JSON})
	if err == nil {
		err = render.Answer(r.Context(), &text, a, about, render.Form{Output: render.Text})
	}
	if err != nil {
		refuse(w, httpStatus(err), err)
		return
	}
	doc := answerDoc{Document: document.Bytes(), Text: text.String(), Problem: a.Summary.Problem.Lines,
		Figures: []figureDoc{}}
	for i := range a.Figures {
		doc.Figures = append(doc.Figures, newFigure(&a.Figures[i]))
	}
	if a.Moves != nil {
		moves := movesDoc(*a.Moves)
		doc.Moves = &moves
	}
	reply(w, http.StatusOK, doc)
}

// A questionDoc describes a question.
type questionDoc struct {
	Name    string        `json:"name"`
	Short   string        `json:"short"`
	Long    string        `json:"long"`
	Run     bool          `json:"run"` // it is asked about a run
	May     bool          `json:"may"` // it can be asked about a run
	Args    []argumentDoc `json:"args"`
	Flags   []flagDoc     `json:"flags"`
	Outputs []string      `json:"outputs"`
}

type argumentDoc struct {
	Name     string   `json:"name"`
	Doc      string   `json:"doc"`
	Optional bool     `json:"optional"`
	Repeated bool     `json:"repeated"`
	Choices  []string `json:"choices"`
}

type flagDoc struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc"`
	Default string   `json:"default"`
	Choices []string `json:"choices"`
	Yes     bool     `json:"yes"` // it is true or false
}

type puzzleDoc struct {
	Name      string        `json:"name"`
	Short     string        `json:"short"`
	Questions []questionDoc `json:"questions"`
	Game      *gameDoc      `json:"game,omitempty"`
}

// A gameDoc says by which questions a puzzle is played.
type gameDoc struct {
	Start string   `json:"start"`
	Play  string   `json:"play"`
	Reply string   `json:"reply"`
	Check string   `json:"check"`
	More  []string `json:"more"`
}

func (s *Server) servePuzzles(w http.ResponseWriter, _ *http.Request) {
	list := make([]puzzleDoc, 0, len(s.o.Loader.Catalog))
	for _, d := range s.o.Loader.Catalog {
		p := puzzleDoc{Name: d.Name, Short: d.Short, Questions: []questionDoc{}}
		for i := range d.Questions {
			q := &d.Questions[i]
			doc := questionDoc{Name: q.Name, Short: q.Short, Long: q.Long, Run: q.NeedsRun(),
				May: q.Needs == puzzle.MayReadRows, Args: []argumentDoc{}, Flags: []flagDoc{}, Outputs: render.Outputs(q)}
			for _, a := range q.Args {
				doc.Args = append(doc.Args, argumentDoc{a.Name, a.Doc, a.Optional, a.Repeated, a.Choices})
			}
			for _, f := range q.Flags {
				doc.Flags = append(doc.Flags, flagDoc{f.Name, f.Doc, f.Default, f.Choices, f.Kind == setting.Boolean})
			}
			p.Questions = append(p.Questions, doc)
		}
		if d.Game != nil {
			game := gameDoc(*d.Game)
			p.Game = &game
		}
		list = append(list, p)
	}
	reply(w, http.StatusOK, list)
}

// An errorDoc is the body of an answer that is none.
type errorDoc struct {
	Error   string `json:"error"`
	Hint    string `json:"hint,omitempty"`
	Setting string `json:"setting,omitempty"` // the flag or argument at fault
}

func refuse(w http.ResponseWriter, code int, err error) {
	doc := errorDoc{Error: err.Error(), Hint: cli.Advice(err)}
	var flag *setting.Error
	if errors.As(err, &flag) {
		doc.Error, doc.Setting, doc.Hint = flag.Err.Error(), flag.Setting, cmp.Or(flag.Hint, doc.Hint)
	}
	reply(w, code, doc)
}

func reply(w http.ResponseWriter, code int, doc any) {
	b, err := json.Marshal(doc)
	if err != nil {
		code, b = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be written"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(append(b, '\n'))
}

// httpStatus is the HTTP status of an error.
func httpStatus(err error) int {
	var misuse *cli.UsageError
	var flag *setting.Error
	if errors.As(err, &misuse) || errors.As(err, &flag) {
		return http.StatusBadRequest
	}
	return http.StatusConflict
}
