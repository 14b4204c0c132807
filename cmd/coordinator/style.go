package main

import (
	"golang.org/x/term"

	"pagoda/internal/app/cli"
	"pagoda/internal/output/render"
)

// style is how texts on stdout look: for people on a terminal that is not dumb, plain elsewhere.
func (a *app) style() render.Style {
	if !cli.Terminal(a.stdout, a.environ) {
		return render.Style{}
	}
	s := render.Style{Grouped: true, Colour: cli.Colour(a.stdout, a.environ)}
	if width, _, err := term.GetSize(int(a.stdout.Fd())); err == nil && width > 0 {
		s.Width = width
	}
	return s
}
