package api

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/app/runs"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
)

// endless is a server with a run of a puzzle whose question "nothing" is answered when its context ends, and whose
// question "results" of the run as well.
func endless(asked chan<- puzzle.Request) http.Handler {
	answer := func(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
		asked <- r
		<-ctx.Done()
		return nil, ctx.Err()
	}
	d := &puzzle.Definition{Name: "p", Questions: []puzzle.Question{
		{Name: "nothing", Answer: answer}, {Name: "results", Needs: puzzle.NeedsResults, Answer: answer},
	}}
	p := &Server{Guard: ops.Guard{Listen: "127.0.0.1:1"}, Run: func(bool) (*runs.Stored, func(), error) {
		return &runs.Stored{Job: &runs.Job{Definition: d, ID: "r"}}, func() {}, nil
	}}
	return p.Handler()
}

func request(ctx context.Context, question string) *http.Request {
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/v1/p/"+question, nil)
	r.Host = "127.0.0.1:1"
	return r
}

// TestFailedAnswer: the client gets the error of an answer, with a status that says whose fault it is.
func TestFailedAnswer(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
		text string
	}{
		{errors.New("no such position"), http.StatusConflict, `{"error":"no such position"}`},
		{&setting.Error{Setting: "after", Err: errors.New("too many")}, http.StatusBadRequest,
			`{"error":"too many","setting":"after"}`},
	} {
		for _, needs := range []puzzle.Need{puzzle.NeedsNothing, puzzle.NeedsResults} {
			q := &puzzle.Question{Name: "q", Needs: needs}
			p := &Server{computing: make(chan struct{}, 1)}
			for range 2 { // the place of the first is free again
				w := httptest.NewRecorder()
				a := p.ask(t.Context(), w, q, puzzle.Request{}, func(
					context.Context, *puzzle.Question, puzzle.Request,
				) (*puzzle.Answer, error) {
					return &puzzle.Answer{}, c.err
				})
				if a != nil || w.Code != c.code || strings.TrimSpace(w.Body.String()) != c.text {
					t.Errorf("%v: %v, %d %s", c.err, a, w.Code, w.Body)
				}
			}
		}
	}
}

// TestBound: an answer that is computed from arguments alone ends after a time, is made with bounded memory, and one at
// a time; others are told to try again meanwhile. A question about a run has none of these bounds.
func TestBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan puzzle.Request, 4)
		h := endless(asked)
		first, ended := httptest.NewRecorder(), make(chan time.Duration, 1)
		go func() {
			begun := time.Now()
			h.ServeHTTP(first, request(t.Context(), "nothing"))
			ended <- time.Since(begun)
		}()
		if r := <-asked; r.Memory != boundMemory {
			t.Errorf("memory %d, want %d", r.Memory, boundMemory)
		}
		second := httptest.NewRecorder()
		h.ServeHTTP(second, request(t.Context(), "nothing"))
		if second.Code != http.StatusServiceUnavailable || !strings.Contains(second.Body.String(), "other answers") {
			t.Errorf("a second one at the same time: %d %s", second.Code, second.Body)
		}
		if d := <-ended; d != boundTime {
			t.Errorf("it ended after %v, want %v", d, boundTime)
		}
		if first.Code != http.StatusServiceUnavailable || !strings.Contains(first.Body.String(), "longer than this server") {
			t.Errorf("overdue: %d %s", first.Code, first.Body)
		}

		ctx, cancel := context.WithCancel(t.Context())
		about := make(chan struct{})
		go func() {
			h.ServeHTTP(httptest.NewRecorder(), request(ctx, "results"))
			close(about)
		}()
		if r := <-asked; r.Memory != 0 {
			t.Errorf("a question about a run: memory %d", r.Memory)
		}
		time.Sleep(10 * boundTime) // virtual
		select {
		case <-about:
			t.Error("a question about a run was ended")
		default:
		}
		cancel()
		<-about
	})
}

// TestClientGoesAway: when the client of a real connection goes away, the context of its answer ends, and the next one
// is answered.
func TestClientGoesAway(t *testing.T) {
	asked, answered := make(chan puzzle.Request, 1), make(chan struct{}, 1)
	h := endless(asked)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		answered <- struct{}{}
	}))
	defer server.Close()
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/v1/p/nothing", nil)
		if err != nil {
			t.Fatal(err)
		}
		failed := make(chan error, 1)
		go func() {
			response, err := http.DefaultClient.Do(r)
			if err == nil {
				_ = response.Body.Close()
				if response.StatusCode == http.StatusServiceUnavailable {
					err = errors.New("busy")
				}
			}
			failed <- err
		}()
		select {
		case <-asked:
		case err := <-failed:
			t.Fatalf("not asked: %v", err)
		}
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		<-answered
	}
}
