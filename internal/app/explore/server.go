package explore

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"pagoda/internal/app/api"
	"pagoda/internal/app/runs"
	"pagoda/internal/fleet/keys"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/status"
)

// Options choose the runs that are offered, and their readers.
type Options struct {
	Loader runs.Loader
	// Folders are data folders, of complete runs or of runs that go on, and folders of such, in which more may come.
	Folders []string
	// Same is told of a folder that is not shown: another one has the same run and is as far or further.
	Same func(shown, other, run string)
	// Unreadable is told of a folder that came later, and whose run cannot be shown.
	Unreadable func(dir string, err error)
	// Coordinators are running elsewhere, or will be; each once.
	Coordinators []*api.Client
	// AskAgain is how long a coordinator that does not answer is left alone; 0 is for a second.
	AskAgain time.Duration
	Small    []Small
	// Problems are the boards on which start and goal can be chosen.
	Problems []Problem
	Temp     string   // folder in which small runs make theirs; "" is that of the system
	Hosts    []string // further names of this server, in lower case
	// Known says whether a request may carry a name as its Host; nil: names of this machine alone, and Hosts.
	Known func(host string) bool
	// Answers is how many answers are made at a time, others wait; 0 is for 2.
	Answers int
	// Results bounds the windows of the results that are kept; 0 is for 100,000.
	Results int
	// ExportRows bounds the rows of a layer that is exported; 0 is for 20 million.
	ExportRows uint64
	// Keys are those of the server; with them only holders of a coordinator's certificate may read.
	Keys *keys.Credentials
}

// A Server shows runs. Its functions are safe for concurrent use.
type Server struct {
	o    Options
	ctx  context.Context
	stop context.CancelFunc
	wait sync.WaitGroup

	watch *watchers
	page  *pageSet
	tag   string // the ETag of answers about complete runs

	busy     chan struct{} // one token for each answer that takes memory
	small    chan struct{} // one for the small run under way
	checking chan struct{} // one for the run under verification
	// exporting has one for the layer that is exported.
	exporting chan struct{}

	discovering sync.Mutex
	folders     map[string]bool // those that were looked at, under discovering

	mu         sync.Mutex
	offers     []*offer
	byID       map[string]*offer
	carriedOut []*offer // small runs that are complete, in order
	kept       []*offer // those whose folders may be open, the one that was read last at the end
	temp       string   // folder of the small runs; "" until there is one

	binding sync.Mutex
	bound   *bound // the book that was asked for last, under binding

	recalling sync.Mutex
	recalled  []*offer // those whose results are kept, the one that was asked last at the end, under recalling

	remotes        []*remote
	coordinatorsAt uint64 // the last change of their states, under the lock of watch
}

// busyAnswers is how many answers are made at a time; others wait.
const busyAnswers = 2

// New reads which runs there are, and opens none of them. Close ends the work that it starts.
func New(ctx context.Context, o Options) (*Server, error) {
	s := &Server{
		o: o, byID: map[string]*offer{}, folders: map[string]bool{}, watch: newWatchers(),
		tag:  `"` + rand.Text() + `"`,
		busy: make(chan struct{}, cmp.Or(o.Answers, busyAnswers)), small: make(chan struct{}, 1),
		checking: make(chan struct{}, 1), exporting: make(chan struct{}, 1),
	}
	s.ctx, s.stop = context.WithCancel(ctx)
	var err error
	if s.page, err = loadPage(); err != nil {
		return nil, err
	}
	if err := s.discover(ctx, true); err != nil {
		return nil, err
	}
	for _, small := range o.Small {
		j, err := o.Loader.Parse(ctx, small.Title, []byte(small.Config))
		if err != nil {
			return nil, fmt.Errorf("small run %s: %w", small.Title, err)
		}
		if s.byID[j.ID] == nil {
			s.add(newSmall(j, small.Title))
		}
	}
	for _, c := range o.Coordinators {
		r := &remote{client: c, slots: make(chan struct{}, remoteAnswers), err: errNotAsked}
		s.remotes = append(s.remotes, r)
		s.wait.Go(func() { s.follow(s.ctx, r) })
	}
	return s, nil
}

func (s *Server) add(o *offer) {
	o.changed = func() { s.watch.change(o) }
	o.used = func() { s.read(o) }
	o.asked = func() { s.keepResults(o) }
	o.asked()
	o.watched = func() bool { return len(s.watch.slots) > 0 }
	s.offers = append(s.offers, o)
	s.byID[o.ID] = o
	if o.remote != nil {
		return
	}
	one := &api.Server{
		Status: o.report,
		Run:    func(folder bool) (*runs.Stored, func(), error) { return o.lend(s.ctx, s.o.Loader, folder) },
	}
	o.api = http.StripPrefix("/runs/"+o.ID, one.Handler())
}

// Stop ends streams of events and small runs.
func (s *Server) Stop() { s.stop() }

// Close ends all work, and removes the files of small runs. No request comes any more.
func (s *Server) Close() error {
	s.stop()
	s.wait.Wait()
	for _, o := range s.all() {
		o.release()
	}
	for _, r := range s.remotes {
		r.client.Close()
	}
	if s.temp != "" {
		return os.RemoveAll(s.temp)
	}
	return nil
}

// Handler returns the routes; see the package's documentation.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.serveIndex)
	mux.HandleFunc("GET /page/{digest}/{file...}", s.servePage)
	mux.HandleFunc("GET /puzzles", s.servePuzzles)
	mux.HandleFunc("GET /puzzles/{puzzle}/{question}", s.limited(s.serveAnswer))
	mux.HandleFunc("GET /runs", s.serveRuns)
	mux.HandleFunc("POST /runs/{run}/begin", s.serveBegin)
	mux.HandleFunc("POST /runs/{run}/cancel", s.serveCancel)
	mux.HandleFunc("POST /runs/{run}/verify", s.serveVerify)
	mux.HandleFunc("GET /runs/{run}/answer/{question}", s.ofRun(s.serveRunAnswer))
	mux.HandleFunc("GET /runs/{run}/result", s.ofRun(s.serveResult))
	mux.HandleFunc("GET /runs/{run}/certificate", s.ofRun(s.serveCertificate))
	mux.HandleFunc("GET /runs/{run}/book/{file...}", s.ofBook)
	mux.HandleFunc("GET /events", s.serveEvents)
	mux.HandleFunc("GET /runs/{run}/v1/", s.ofRun(s.serveAPI))
	mux.HandleFunc("GET /runs/{run}/v1/export", s.serveExport)
	mux.HandleFunc("GET /rights", s.serveRights)
	mux.HandleFunc("GET /coordinators", s.serveCoordinators)
	mux.HandleFunc("GET /problems", s.serveProblems)
	mux.HandleFunc("POST /problems", s.serveProblem)
	return s.guard(compressed(mux))
}

// limited has more than a few answers wait for each other.
func (s *Server) limited(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case s.busy <- struct{}{}:
			defer func() { <-s.busy }()
			serve(w, r)
		case <-r.Context().Done():
		}
	}
}

// ofRun answers a request about a run: here, with few others at a time, or where the run's coordinator is, which serves
// the same page.
func (s *Server) ofRun(here func(http.ResponseWriter, *http.Request, *offer)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		o := s.offered(w, r)
		switch {
		case o == nil:
		case o.remote != nil:
			o.pass(w, r)
		case o.state() == status.StateComplete && s.lasting(w, r):
		default:
			s.limited(func(w http.ResponseWriter, r *http.Request) { here(w, r, o) })(w, r)
		}
	}
}

// offered is the run that a request names; nil when there is none, and then the request has been answered.
func (s *Server) offered(w http.ResponseWriter, r *http.Request) *offer {
	s.mu.Lock()
	o := s.byID[r.PathValue("run")]
	s.mu.Unlock()
	if o == nil {
		refuse(w, http.StatusNotFound, errUnknown)
	}
	return o
}

// An offerDoc is the document of /runs about a run.
type offerDoc struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Puzzle string `json:"puzzle"`
	Small  bool   `json:"small"` // carried out on request
	Ways   bool   `json:"ways"`  // it keeps solutions through every position
	Live   bool   `json:"live"`  // this process carries it out
	// At is the URL of the coordinator that carries it out, where that is elsewhere. Away says why that does not answer:
	// then the rest is its last document.
	At   string `json:"at,omitempty"`
	Away string `json:"away,omitempty"`
	// Board is the board of the run, as boardForm has it; "" where its puzzle has none.
	Board string `json:"board,omitempty"`
	// Problem is the config as it was understood.
	Problem []puzzle.Line `json:"problem,omitempty"`
	Pairs   bool          `json:"pairs"` // it counts the solutions of all pairs of a vacancy and a last peg
	Status  api.Status    `json:"status"`
	// Result stands for the results of a complete run; Ended and Seconds are when its computation ended, and how long it
	// took, where that is known.
	Result  *headline `json:"result,omitempty"`
	Ended   string    `json:"ended,omitempty"`
	Seconds float64   `json:"seconds,omitempty"`
	// Verification is the last that was asked for, nil for none.
	Verification *verificationDoc `json:"verification,omitempty"`
}

func (o *offer) doc() offerDoc {
	if o.remote != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		doc := o.elsewhere
		doc.Small, doc.Live, doc.At, doc.Away = false, false, o.remote.client.URL(), o.remote.failure(o.ID)
		return doc
	}
	doc := offerDoc{ID: o.ID, Title: o.title, Puzzle: o.Definition.Name, Small: o.small, Live: o.live != nil,
		Ways:  o.Definition.Question(questionQuery) != nil && o.Config.Bool("store_ways"),
		Board: boardOf(o.Job), Problem: o.Problem.Lines, Status: o.report(), Verification: o.verification()}
	o.mu.Lock()
	f := o.found
	o.mu.Unlock()
	doc.Result = f.headline()
	doc.Ended, doc.Seconds = f.ended(doc.Status.Windows)
	doc.Pairs = doc.Board != "" && o.Config.Text("count") == "solutions" && o.Config.Text("pairs") == "all"
	return doc
}

// questionQuery is the question behind the board of the page, questionPairs the one behind its map of problems.
const (
	questionQuery = "query"
	questionPairs = "pairs"
)

func (s *Server) serveRuns(w http.ResponseWriter, _ *http.Request) {
	s.refresh()
	list := []offerDoc{}
	for _, o := range s.all() {
		list = append(list, o.doc())
	}
	reply(w, http.StatusOK, list)
}

func (s *Server) serveBegin(w http.ResponseWriter, r *http.Request) {
	o := s.offered(w, r)
	if o == nil {
		return
	}
	if err := s.begin(o); err != nil {
		refuse(w, http.StatusConflict, err)
		return
	}
	reply(w, http.StatusAccepted, o.doc())
}

// serveAPI has the API of one run answer. Whose name the request carries has been checked, and the API does not know
// the names of the page.
func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request, o *offer) {
	r = r.Clone(r.Context())
	r.Host = "localhost"
	r.Header.Del("Origin")
	o.api.ServeHTTP(w, r)
}

// serveCoordinators lists the coordinators elsewhere.
func (s *Server) serveCoordinators(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, s.coordinators())
}

// serveProblems lists the boards on which start and goal can be chosen.
func (s *Server) serveProblems(w http.ResponseWriter, _ *http.Request) {
	boards := []string{}
	for _, p := range s.o.Problems {
		boards = append(boards, p.Board)
	}
	reply(w, http.StatusOK, boards)
}

// all are the runs that are offered at the moment.
func (s *Server) all() []*offer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.offers)
}

// refresh looks for new folders, and reads the statuses of the folders.
func (s *Server) refresh() {
	_ = s.discover(s.ctx, false) // a folder of folders that has gone may come back
	for _, o := range s.all() {
		o.refresh()
	}
}

var errNoQuestion = errors.New("the puzzle has no such question")
