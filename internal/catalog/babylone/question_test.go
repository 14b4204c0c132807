package babylone

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
)

// ask asks a question; flags are name=value.
func ask(t *testing.T, q puzzle.Question, args []string, flags ...string) (*puzzle.Answer, error) {
	t.Helper()
	given := map[string]string{}
	for _, f := range flags {
		name, value, _ := strings.Cut(f, "=")
		given[name] = value
	}
	v, err := setting.NewSet(q.Flags, given)
	if err != nil {
		return nil, err
	}
	return q.Answer(t.Context(), puzzle.Request{Args: args, Flags: v})
}

// write is the facts, tables and notes of a summary, one row a line.
func write(s puzzle.Summary) string {
	var b strings.Builder
	value := func(c puzzle.Column, v puzzle.Value) string {
		if c.Kind == puzzle.Text {
			return v.S
		}
		return v.N.String()
	}
	for _, f := range s.Facts {
		fmt.Fprintf(&b, "%s %s\n", f.Name, value(f.Column, f.Value))
	}
	for _, t := range s.Tables {
		for _, row := range t.Rows {
			var list []string
			for i, v := range row {
				list = append(list, value(t.Columns[i], v))
			}
			fmt.Fprintf(&b, "%s: %s\n", t.Name, strings.Join(list, " | "))
		}
	}
	return b.String() + strings.Join(s.Notes, "\n")
}

func TestPlay(t *testing.T) {
	for text, want := range map[string]string{
		"y1,y1,b1,b1": `position b1,b1,y1,y1
piles 4
bricks 4
winner 1
nimber 1
moves: b1 on b1 | b2,y1,y1 | 0 | wins
moves: y1 on y1 | b1,b1,y2 | 0 | wins
moves: b1 on y1 | b1,b2,y1 | 2 | loses
moves: y1 on b1 | b1,y1,y2 | 2 | loses
the player to move wins with b1 on b1`,
		"b3 r1": `position b3,r1
piles 2
bricks 4
winner 2
nimber 0
no move is left: the player to move has lost`,
		"b1,r1,b1,r2": `position b1,b1,r1,r2
piles 4
bricks 5
winner 2
nimber 0
moves: r1 on b1 | b1,r2,r2 | 1 | loses
moves: b1 on b1 | b2,r1,r2 | 2 | loses
moves: b1 on r1 | b1,b2,r2 | 2 | loses
moves: r1 on r2 | b1,b1,r3 | 1 | loses
the player to move loses, whatever the move`,
	} {
		a, err := ask(t, play, strings.Fields(text))
		if err != nil {
			t.Fatal(err)
		}
		got, lines := write(a.Summary), strings.Split(want, "\n")
		for _, line := range lines {
			if !strings.Contains(got, line) {
				t.Errorf("%s: %q is missing in\n%s", text, line, got)
			}
		}
		if strings.Count(got, "\n") != len(lines)-1 {
			t.Errorf("%s: got\n%s", text, got)
		}
	}
}

// TestBadQuestions demands that each mistake is refused by the name of the argument or flag.
func TestBadQuestions(t *testing.T) {
	ones := strings.Repeat("b1,", MaxBricks+1)
	for _, c := range []struct {
		q          puzzle.Question
		arg, flag  string
		name, want string
	}{
		{play, "b0", "show=", "POSITION", `pile 1 is "b0": its height must be a number from 1 to 64`},
		{play, "b1,4", "", "POSITION", `pile 2 is "4": a pile begins with the letter`},
		{play, "B1", "", "POSITION", "a to z"},
		{play, ",", "", "POSITION", "no piles"},
		{play, ones, "", "POSITION", "more than 64 bricks"},
		{play, "a1,b1,c1,d1,e1,f1,g1,h1,i1,j1,k1,l1,m1,n1,o1,p1,q1,r1,s1,t1,u1", "", "POSITION", "21 colours"},
		{graph, "2y2", "", "GAME", "1 to 64"},
		{graph, "x2", "", "GAME", "write 2x2"},
		{graph, "2x2,3", "", "GAME", "write 2x2"},
		{graph, "30x2", "", "GAME", "1 to 20 colours"},
		{graph, "2x40", "", "GAME", "80 bricks"},
		{graph, "4x4", "show=all", "show", "at most 2000"},
		{graph, "9x4", "show=strategy", "GAME", "too large"},
		{graph, "2x2", "show=some", "show", "not one of"},
		{table, "", "bricks=49", "bricks", "between 1 and 48"},
		{table, "", "bricks=25", "bricks", "at most 24 bricks"},
	} {
		var flags []string
		if c.flag != "" && c.q.Name != "play" {
			flags = append(flags, c.flag)
		}
		_, err := ask(t, c.q, []string{c.arg}, flags...)
		var e *setting.Error
		if !errors.As(err, &e) || e.Setting != c.name || !strings.Contains(err.Error(), c.want) || e.Advice() == "" ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %s %s: got %v", c.q.Name, c.arg, c.flag, err)
		}
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, q := range []puzzle.Question{play, graph, table} {
		v, err := setting.NewSet(q.Flags, nil)
		if err != nil {
			t.Fatal(err)
		}
		arg := map[string]string{"play": "b1,b1", "graph": "2x2"}[q.Name]
		if _, err := q.Answer(canceled, puzzle.Request{Args: []string{arg}, Flags: v}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s goes on when nobody listens: %v", q.Name, err)
		}
	}
}
