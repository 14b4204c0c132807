package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"pagoda/internal/app/explore"
	"pagoda/internal/app/runs"
	"pagoda/internal/catalog"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// said runs the program as a person types it, and returns its stdout.
func said(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "coordinator", args...).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		t.Fatalf("coordinator %s: %v: %s", strings.Join(args, " "), err, exit.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestPublishedProblems asks peg feasible and peg solve about every published problem. The start is drawn in one line,
// and as planning instances draw it.
func TestPublishedProblems(t *testing.T) {
	b := pegtest.Named(t, "english")
	for _, p := range pegtest.Published(t) {
		start, err := peg.ParseStart(b, p.Start)
		if err != nil {
			t.Fatal(err)
		}
		line := peg.FormatLine(b, start)
		picture := strings.NewReplacer("o", "* ", ".", "o ", " ", "  ").Replace(peg.FormatPosition(b, start))
		want, jumps := "infeasible", 0
		if p.Solvable {
			want, jumps = "feasible", p.Pegs-1
		}
		text := said(t, "peg", "feasible", p.Start, p.Goal)
		if !strings.Contains(text, "start  "+line+",") || !strings.Contains(text, "verdict    "+want+"\n") {
			t.Errorf("%s: want %s, got\n%s", p.Start, want, text)
		}
		var s struct {
			Verdict, Start string
			Jumps          []string
		}
		if err := json.Unmarshal([]byte(said(t, "peg", "solve", picture, p.Goal, "--output", "json")), &s); err != nil {
			t.Fatal(err)
		}
		if s.Verdict != want || s.Start != line || len(s.Jumps) != jumps {
			t.Errorf("%q: want %s with %d jumps, got %+v", picture, want, jumps, s)
		}
	}
}

// TestPublishedConfigs runs the published problems as configs, whose start is drawn with blanks between the holes.
// Where the least number of sweeps is not published, solutions are counted alone.
func TestPublishedConfigs(t *testing.T) {
	b := pegtest.Named(t, "english")
	for i, p := range pegtest.Published(t) {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			start, err := peg.ParseStart(b, p.Start)
			if err != nil {
				t.Fatal(err)
			}
			picture := strings.NewReplacer("o", "o ", ".", ". ", " ", "  ", "\n", "\n  ").Replace(peg.FormatPosition(b, start))
			dir := t.TempDir()
			count, least := "sweeps", ""
			switch {
			case p.Solvable && p.LeastSweeps == 0:
				count = "solutions"
			case p.Solvable:
				least = strconv.Itoa(p.LeastSweeps)
			}
			config := "puzzle: peg\nboard: english\nstart: |2\n  " + picture + "\ngoal: " + p.Goal + "\ncount: " + count + "\n"
			if err := os.WriteFile(dir+"/field.yaml", []byte(config), 0o600); err != nil {
				t.Fatal(err)
			}
			var s struct {
				Start, Solutions string
				Least            string `json:"least_sweeps"`
			}
			text := said(t, "run", dir+"/field.yaml", "--data", dir+"/run", "--output", "json")
			if err := json.Unmarshal([]byte(text), &s); err != nil {
				t.Fatal(err)
			}
			if s.Start != peg.FormatLine(b, start) {
				t.Errorf("the start is %s, want %s", s.Start, p.Start)
			}
			if s.Solutions == "" || (s.Solutions != "0") != p.Solvable || s.Least != least {
				t.Errorf("%s: %+v, want %+v", p.Start, s, p)
			}
		})
	}
}

// TestPublishedOverHTTP asks one of the two questions of the page about each published problem.
func TestPublishedOverHTTP(t *testing.T) {
	site, err := explore.New(t.Context(), explore.Options{Loader: runs.Loader{Catalog: catalog.All}, Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		site.Stop()
		if err := site.Close(); err != nil {
			t.Error(err)
		}
	}()
	get := func(question string, args ...string) (int, []byte) {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet,
			"http://localhost/puzzles/peg/"+question+"?"+url.Values{"arg": args}.Encode(), nil)
		site.Handler().ServeHTTP(w, r)
		return w.Code, w.Body.Bytes()
	}
	b := pegtest.Named(t, "english")
	for i, p := range pegtest.Published(t) {
		question, want := []string{"feasible", "solve"}[i%2], "infeasible"
		if p.Solvable {
			want = "feasible"
		}
		var said struct {
			Document struct {
				Verdict, Start string
				Certificate    struct{ Start string }
			}
		}
		code, body := get(question, p.Start, p.Goal)
		if err := json.Unmarshal(body, &said); err != nil {
			t.Fatalf("%d %s: %v", code, body, err)
		}
		d := said.Document
		start, err := peg.ParseStart(b, cmp.Or(d.Start, d.Certificate.Start))
		if err != nil {
			t.Fatalf("%d %s: %v", code, body, err)
		}
		if asked, err := peg.ParseStart(b, p.Start); err != nil || d.Verdict != want || start != asked {
			t.Errorf("%s of %s: %+v, %v; want %s", question, p.Start, d, err, want)
		}
	}
	code, body := get("solve", "  XXX\n  XXX\nXXXXXXX\nXXXOXXX\nXXXXXXX\n  XXX\n  XXX", "center")
	if code != http.StatusBadRequest || !strings.Contains(string(body), "two readings: X a peg and O an empty hole") {
		t.Errorf("%d %s", code, body)
	}
}
