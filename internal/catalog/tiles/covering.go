package tiles

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

// uncovered stands for a cell without a tile.
const uncovered = '.'

// errManyFinals ends the search for final grids of a grid that has too many for an answer on the spot.
var errManyFinals = errors.New("too many final grids for an answer on the spot")

// mostFinals bounds the final grids that a game looks through.
const mostFinals = 1 << 20

// A covering is a grid in play: tiles lie on some of its cells. It is a value: laying a tile gives another covering.
type covering struct {
	*Grid
	covered uint64 // bit i: cell i has a tile
	shown   cells  // colour that each cell shows
}

// obstacle says why a tile of colour v cannot be laid on cell i, "" when it can: the tile must differ from the colours
// that the cell and its neighbours show. by is the cell that stands against it.
func (p *covering) obstacle(i int, v uint8) (why string, by int) {
	switch {
	case p.covered>>i&1 == 1:
		return "it has a tile already", i
	case p.shown[i] == v:
		return "it shows that colour itself", i
	}
	for _, j := range p.shape.neighbours()[i] {
		if p.shown[j] == v {
			return "its neighbour " + p.shape.ref(j).String() + " shows that colour", j
		}
	}
	return "", i
}

// lay returns p with a tile of colour v on cell i.
func (p covering) lay(i int, v uint8) covering {
	p.covered |= 1 << i
	p.shown[i] = v
	return p
}

// String writes the grid, and after a colon the tiles, with a dot for a cell without one. parseCovering reads it.
func (p *covering) String() string {
	if p.covered == 0 {
		return p.Grid.String()
	}
	tiles := []byte(p.write(&p.shown))
	for i := range p.shape.Cells() {
		if p.covered>>i&1 == 0 {
			tiles[i+i/p.shape.Cols] = uncovered
		}
	}
	return p.Grid.String() + ":" + string(tiles)
}

// parseCovering reads a grid, or a grid and its tiles. The tiles must be such that they can have been laid one after
// the other. The error wraps ErrGrid or ErrShape.
func parseCovering(text string, colours int) (p covering, err error) {
	grid, tiles, has := strings.Cut(text, ":")
	if p.Grid, err = Parse(grid, colours); err != nil {
		return p, err
	}
	p.shown = p.cells
	if !has {
		return p, nil
	}
	want := strings.Split(p.Grid.String(), "/")
	rows := strings.Split(strings.ToUpper(strings.Join(strings.Fields(tiles), "")), "/")
	if len(rows) != len(want) {
		return p, fmt.Errorf("%w: the tiles have %s, and the grid %d", ErrGrid, plural.Of(len(rows), "row"), len(want))
	}
	var wanted [maxCells]uint8
	todo := uint64(0)
	for r, row := range rows {
		if len(row) != len(want[r]) {
			return p, fmt.Errorf("%w: row %d of the tiles has %s, and of the grid %d", ErrGrid, r,
				plural.Of(len(row), "cell"), len(want[r]))
		}
		for c := range len(row) {
			if row[c] == uncovered {
				continue
			}
			v := strings.IndexByte(p.letters, row[c])
			if v < 0 {
				return p, gridError(fmt.Sprintf("%c is none of the colours %s, in the tiles", row[c], p.letters), CellRef{r, c})
			}
			i := p.shape.at(r, c)
			wanted[i] = uint8(v)
			todo |= 1 << i
		}
	}
	// A tile that can be laid now never hinders another one later: it must differ from its neighbours' tiles anyway.
	for laid := true; laid && todo != 0; {
		laid = false
		for i := range p.shape.Cells() {
			if why, _ := p.obstacle(i, wanted[i]); todo>>i&1 == 1 && why == "" {
				p, laid = p.lay(i, wanted[i]), true
				todo &^= 1 << i
			}
		}
	}
	for i := range p.shape.Cells() {
		if todo>>i&1 == 1 {
			why, _ := p.obstacle(i, wanted[i])
			return p, gridError(fmt.Sprintf("no order lays these tiles: %c cannot be laid, because %s",
				p.letters[wanted[i]], why), p.shape.ref(i))
		}
	}
	return p, nil
}

// finals passes every final grid of p's initial grid to each. The error is the context's, or errManyFinals.
func (g *Grid) finals(ctx context.Context, each func(f *cells)) error {
	solver, err := g.solver()
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	n := 0
	err = solver.solve(ctx, &g.cells, func(f *planes) {
		if n++; n > mostFinals {
			stop(fmt.Errorf("%w: more than %d", errManyFinals, mostFinals))
			return
		}
		c := solver.unturn(f)
		each(&c)
	})
	if err != nil {
		return context.Cause(ctx)
	}
	return nil
}

// agrees reports whether f has the tiles of p. Then the game can still end in f: tiles that were laid by the rules wait
// for no cell that has none.
func (p *covering) agrees(f *cells) bool {
	for i := range p.shape.Cells() {
		if p.covered>>i&1 == 1 && p.shown[i] != f[i] {
			return false
		}
	}
	return true
}

var playQuestion = puzzle.Question{
	Name:  "play",
	Short: "list the tiles that can be laid on a grid in play, and how many final grids each leaves",
	Long: `Says how many final grids a grid in play can still end in, and for every tile that can be laid the grid after it
and its number of final grids: 0 where the game cannot be finished any more. The tile that leaves the most comes first.

A grid in play is the initial grid, and after a colon the tiles, with a dot for each cell without one:
RVRV/BWBW:J.../....`,
	Examples: []string{"RVRV/BWBW", "RVRV/BWBW:J.../.... --output json"},
	Args:     []puzzle.Argument{{Name: argGrid, Doc: "initial grid, and perhaps tiles: RVRV/BWBW:J.../...."}},
	Flags:    []setting.Setting{coloursFlag},
	Outputs:  []puzzle.Output{puzzle.Pictures, puzzle.Tables},
	Answer:   answerPlay,
}

var coloursFlag = setting.Setting{Name: settingColours, Kind: setting.Integer, Default: fmt.Sprint(MinColours),
	Min: MinColours, Max: MaxColours, Doc: "number of colours that there are: 5 or 6"}

func answerPlay(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	p, err := parseCovering(r.Args[0], int(r.Flags.Uint(settingColours)))
	if err != nil {
		return nil, &setting.Error{Setting: argGrid, Err: err, Hint: gridHint}
	}
	s := p.shape
	left := uint64(0)
	with := make([][MaxColours]uint64, s.Cells()) // finals by cell and its tile
	if err := p.finals(ctx, func(f *cells) {
		if !p.agrees(f) {
			return
		}
		left++
		for i := range with {
			with[i][f[i]]++
		}
	}); err != nil {
		return nil, manyFinals(err)
	}
	table := puzzle.Table{Name: "moves", Columns: []puzzle.Column{
		{Name: "move", Kind: puzzle.Text, Doc: "the cell and the tile that is laid on it"},
		{Name: "position", Kind: puzzle.Text, Doc: "the grid in play after it"},
		{Name: "finals", Kind: puzzle.Number, Doc: "final grids that the game can end in then; 0: it cannot be finished"},
	}}
	type choice struct {
		cell   int
		tile   uint8
		finals uint64
	}
	var choices []choice
	moves := &puzzle.Moves{}
	for i := range s.Cells() {
		for v := range uint8(s.Colours) {
			if why, by := p.obstacle(i, v); why != "" {
				cell, tile := s.ref(i).String(), p.letters[v:v+1]
				moves.Refused = append(moves.Refused, puzzle.Refusal{Presses: [2]string{cell, tile},
					Why: tile + " cannot be laid on " + cell + ": " + why, By: s.ref(by).String()})
				continue
			}
			choices = append(choices, choice{i, v, with[i][v]})
		}
	}
	slices.SortStableFunc(choices, func(a, b choice) int { return cmp.Compare(b.finals, a.finals) })
	moves.Over = len(choices) == 0
	for _, m := range choices {
		cell, tile, after := s.ref(m.cell).String(), p.letters[m.tile:m.tile+1], p.lay(m.cell, m.tile)
		table.Rows = append(table.Rows,
			[]puzzle.Value{{S: cell + "=" + tile}, {S: after.String()}, {N: uint128.From(m.finals)}})
		moves.Presses = append(moves.Presses, []string{cell, tile})
		if m.finals > 0 && m.finals == choices[0].finals {
			moves.Best++
		}
	}
	a := &puzzle.Answer{Moves: moves, Figures: []figure.Figure{p.picture(), p.pack()}}
	a.Summary.Problem = p.understood()
	a.Summary.AddText("position", p.String(), "the grid in play")
	a.Summary.AddText("letters", p.letters, "the colours that there are")
	a.Summary.AddNumber("finals", left, "final grids that the game can end in")
	a.Summary.Tables = []puzzle.Table{table}
	switch {
	case len(table.Rows) == 0 && left > 0:
		a.Summary.Notes = append(a.Summary.Notes, "every cell has a tile")
	case left == 0:
		a.Summary.Notes = append(a.Summary.Notes, "the game cannot be finished")
	}
	return a, nil
}

// gridHint says how grids in play are written.
const gridHint = "rows and columns are counted from 0 and rows are separated by /; every 2x2 block shows four " +
	"different colours, as in RVRV/BWBW; tiles come after a colon: RVRV/BWBW:J.../...."

func manyFinals(err error) error {
	if errors.Is(err, errManyFinals) {
		return &setting.Error{Setting: argGrid, Err: err, Hint: "take a smaller grid"}
	}
	return err
}

// understood is the initial grid as it was understood.
func (g *Grid) understood() (p puzzle.Problem) {
	p.Add("grid", g.String()+", "+g.shape.String())
	return p
}

// picture draws the grid, with the tiles upon it.
func (p *covering) picture() figure.Figure {
	of := hues(p.letters)
	f := figure.Figure{Name: "grid", Title: "Grid in play " + p.String(), Board: &figure.Board{}}
	for i := range p.shape.Cells() {
		at, first := p.shape.ref(i), p.letters[p.cells[i]]
		c := figure.Cell{Row: float64(at.Row), Column: float64(at.Col), Fill: of[first], Corner: string(rune(first)),
			Detail: at.String()}
		title := fmt.Sprintf("%v, %c", at, first)
		if p.covered>>i&1 == 1 {
			tile := p.letters[p.shown[i]]
			c.Inner, c.Label = of[tile], string(rune(tile))
			title += ", tile " + c.Label
		}
		f.Board.Add(at.String(), title, c)
	}
	return f
}

// pack draws a tile of each colour, to be laid.
func (p *covering) pack() figure.Figure {
	of := hues(p.letters)
	f := figure.Figure{Name: "tiles", Title: "Tiles", Board: &figure.Board{}}
	for v := range p.letters {
		letter := p.letters[v : v+1]
		f.Board.Add(letter, "tile "+letter+", "+string(of[letter[0]]),
			figure.Cell{Column: float64(v), Fill: of[letter[0]], Label: letter, Detail: "tile " + letter})
	}
	return f
}
