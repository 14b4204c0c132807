package main

import (
	"os"
	"time"

	"pagoda/internal/app/api"
	"pagoda/internal/output/render"
	"pagoda/internal/run/status"
)

// statusScreen is a view on a terminal.
type statusScreen struct {
	screen
	last  *status.Status
	wrong string // why there is no newer one
}

func newStatusScreen(terminal *os.File) *statusScreen {
	v := &statusScreen{screen: screen{terminal: terminal, whole: true}}
	v.lines = func(rows, columns int) []string { return render.Screen(v.last, v.wrong, rows, columns) }
	return v
}

func (v *statusScreen) show(s *api.Status) error {
	v.last, v.wrong = &s.Status, ""
	return v.draw()
}

func (v *statusScreen) trouble(err error) error {
	v.wrong = err.Error() + ", asked at " + time.Now().Format(time.TimeOnly)
	return v.draw()
}
