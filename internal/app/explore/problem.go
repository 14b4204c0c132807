package explore

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/status"
)

// Words of a Problem's config that stand for the positions.
const (
	wordStart = "START"
	wordGoal  = "GOAL"
)

// A Problem is a small run whose start and goal are chosen on the page.
type Problem struct {
	Board  string // by name
	Config string // the text of a config, with START and GOAL where the positions stand
}

// Problems are those that the program offers.
func Problems() []Problem {
	var list []Problem
	for _, board := range []string{"english", "triangle4", "triangle5", "triangle6", "triangle7", "square5"} {
		list = append(list, Problem{Board: board, Config: ways(named(board), wordStart, wordGoal)})
	}
	return list
}

const (
	// maxProblems bounds the problems that are added to a server.
	maxProblems = 200
	// maxCarriedOut bounds the small runs whose rows are kept: the one that was carried out first goes for a new one.
	maxCarriedOut = 6
)

// maxAddresses bounds the size of the runs that are carried out here. Those of the English board have up to 1,070
// million addresses.
const maxAddresses = 1_500_000_000

// boardForm is the only form of a board that is put into a config: a name, or the lattice, the drawing in one line, and
// the rule where it has one.
var boardForm = regexp.MustCompile(`^([a-z]+[0-9]{0,2})$|^(square|triangular) ([-o./]+)(?: ([-a-z0-9,> ]+))?$`)

// boardOf is the board of a run in that form; "" where its puzzle has none.
func boardOf(j *runs.Job) string {
	if j.Definition.Question(questionPairs) == nil {
		return ""
	}
	if name := j.Config.Text("board"); name != "" && j.Config.Text("rule") == "" {
		return name
	}
	var lattice, drawing string
	for _, p := range j.Puzzle.Identity().Params {
		switch p.Name {
		case "lattice":
			lattice = p.Value
		case "board":
			drawing = p.Value
		}
	}
	rule := ""
	for _, f := range j.Problem.Facts {
		if f.Name == "rule" {
			lattice, _, _ = strings.Cut(lattice, " ")
			rule = " " + f.Value.S
		}
	}
	return lattice + " " + drawing + rule
}

// boardConfig returns the part of a config about a board, and its name in titles; ok is false for any other text.
func boardConfig(board string) (text, name string, ok bool) {
	switch m := boardForm.FindStringSubmatch(board); {
	case m == nil:
		return "", "", false
	case m[1] != "":
		return named(board), board, true
	default:
		text = fmt.Sprintf("name: drawn\nlattice: %s\ndrawing: %q\n", m[2], m[3])
		if m[4] != "" {
			text += fmt.Sprintf("rule: %q\n", m[4])
		}
		holes := strings.Count(m[3], "o") + strings.Count(m[3], ".")
		return text, fmt.Sprintf("drawn board of %d holes", holes), true
	}
}

// positionForm is the only form of a position that is put into a config: a set of pegs as a number, or a drawing in one
// line.
var positionForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(0?x[0-9a-f]{1,16}|[-o./]{1,512})$`)
})

// serveProblem offers the run of a board, a start and a goal.
func (s *Server) serveProblem(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	o, err := s.addProblem(r.Context(), q.Get("board"), q.Get("start"), q.Get("goal"))
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	reply(w, http.StatusCreated, o.doc())
}

// addProblem adds the run of a problem to those that are offered, unless it is among them. Without start and goal that
// is the run of all pairs.
func (s *Server) addProblem(ctx context.Context, board, start, goal string) (*offer, error) {
	text, title, ok := boardConfig(board)
	switch {
	case !ok:
		return nil, fmt.Errorf("%.60q is not a board whose problems are carried out here", board)
	case start == "" && goal == "":
		text = pairs(text)
	case !positionForm().MatchString(start) || !positionForm().MatchString(goal):
		return nil, cli.Hint(errors.New("a position is not of the form 0x1fffeffff"), "bit 0 is the first hole")
	default:
		text = ways(text, wordStart, wordGoal)
		for _, p := range s.o.Problems {
			if p.Board == board {
				text = p.Config
			}
		}
		text = strings.NewReplacer(wordStart, strconv.Quote(start), wordGoal, strconv.Quote(goal)).Replace(text)
	}
	j, err := s.o.Loader.Parse(ctx, title, []byte(text))
	if err != nil {
		return nil, err
	}
	title += ", " + j.Problem.Title
	if have := s.counted(j); have != nil {
		return have, nil
	}
	if err := tooLarge(j, text); err != nil {
		return nil, err
	}
	return s.offer(newSmall(j, title))
}

// counted is a complete run that answers what a job would: of the same board, start and goal, and that keeps as much.
// nil is none.
func (s *Server) counted(j *runs.Job) *offer {
	want := (&offer{Job: j, ID: j.ID}).doc()
	for _, o := range s.all() {
		doc := o.doc()
		if doc.Status.State == status.StateComplete && doc.Away == "" && doc.Ways == want.Ways && doc.Pairs == want.Pairs &&
			doc.Board == want.Board && slices.Equal(doc.Problem[1:], want.Problem[1:]) { // the first line is the board
			return o
		}
	}
	return nil
}

// tooLarge refuses runs that take more than a minute or so.
func tooLarge(j *runs.Job, text string) error {
	pl, err := plan.New(j.Puzzle)
	if err != nil {
		return err
	}
	if _, addresses := pl.Size(); addresses > maxAddresses {
		return cli.Hint(fmt.Errorf("this run is too large to be carried out here: it has %d addresses", addresses),
			"carry it out with coordinator run, with this config, and name its folder with --data: "+
				strings.ReplaceAll(strings.TrimSpace(text), "\n", "; "))
	}
	return nil
}

// offer adds an offer, or returns the one that is there for the same run.
func (s *Server) offer(o *offer) (*offer, error) {
	s.mu.Lock()
	have := s.byID[o.ID]
	small := 0
	for _, other := range s.offers {
		if other.small {
			small++
		}
	}
	full := small >= len(s.o.Small)+maxProblems
	if have == nil && !full {
		s.add(o)
	}
	s.mu.Unlock()
	switch {
	case have != nil:
		return have, nil
	case full:
		return nil, cli.Hint(fmt.Errorf("%d problems have been chosen already", maxProblems), "start the program anew")
	}
	o.changed()
	return o, nil
}

// makeRoom gives up the oldest small run that is not being read, when there are enough of them.
func (s *Server) makeRoom() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.carriedOut) < maxCarriedOut {
		return nil
	}
	for i, o := range s.carriedOut {
		if given, err := o.giveUp(); given {
			o.changed()
			s.carriedOut = append(s.carriedOut[:i:i], s.carriedOut[i+1:]...)
			return err
		}
	}
	return nil
}
