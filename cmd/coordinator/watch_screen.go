package main

import (
	"bytes"
	"os"
	"time"

	"golang.org/x/term"

	"pagoda/internal/app/api"
	"pagoda/internal/output/render"
	"pagoda/internal/run/status"
)

// Control sequences. A terminal has a second screen: the content of the first one comes back in the end.
const (
	enterScreen = "\x1b[?1049h\x1b[?25l" // the second screen, without a cursor
	leaveScreen = "\x1b[?25h\x1b[?1049l"
	toCorner    = "\x1b[H"
	eraseLine   = "\x1b[K" // from the cursor to its end
	eraseBelow  = "\x1b[J"
)

// statusScreen is a view on a terminal, whatever its size. Each picture is one write over the one before, and nothing
// is erased before it is written again, so that it does not flicker.
type statusScreen struct {
	terminal      *os.File
	entered       bool
	last          *status.Status
	wrong         string // why there is no newer one
	rows, columns int    // of the picture that is shown
}

func (v *statusScreen) show(s *api.Status) error {
	v.last, v.wrong = &s.Status, ""
	return v.draw()
}

func (v *statusScreen) trouble(err error) error {
	v.wrong = err.Error() + ", asked at " + time.Now().Format(time.TimeOnly)
	return v.draw()
}

func (v *statusScreen) redraw() error {
	if rows, columns := v.size(); v.last == nil || rows == v.rows && columns == v.columns {
		return nil
	}
	return v.draw()
}

// size is the size of the terminal, or the usual one where it does not say.
func (v *statusScreen) size() (rows, columns int) {
	columns, rows, err := term.GetSize(int(v.terminal.Fd()))
	if err != nil || rows < 1 || columns < 1 {
		return 24, 80
	}
	return rows, columns
}

func (v *statusScreen) draw() error {
	var b bytes.Buffer
	if !v.entered {
		v.entered = true
		b.WriteString(enterScreen)
	}
	v.rows, v.columns = v.size()
	b.WriteString(toCorner)
	for i, line := range v.lines(v.rows) {
		if i > 0 {
			b.WriteString("\n") // not after the last line, which would scroll
		}
		b.WriteString(line + eraseLine)
	}
	b.WriteString(eraseBelow)
	_, err := v.terminal.Write(b.Bytes())
	return err
}

// lines is the picture. The last column stays empty: erasing the rest of a full line takes its last character.
func (v *statusScreen) lines(rows int) []string {
	return render.Screen(v.last, v.wrong, rows, v.columns-1)
}

// close leaves the last picture on the terminal's first screen.
func (v *statusScreen) close() error {
	if !v.entered {
		return nil
	}
	v.rows, v.columns = v.size()
	b := bytes.NewBufferString(leaveScreen)
	for _, line := range v.lines(v.rows - 1) {
		b.WriteString(line + "\n")
	}
	_, err := v.terminal.Write(b.Bytes())
	return err
}
