package main

import (
	"bytes"
	"fmt"
	"os"
	"sync"

	"golang.org/x/term"
)

// Control sequences. A terminal has a second screen: the content of the first one comes back in the end.
const (
	enterScreen = "\x1b[?1049h\x1b[?25l" // the second screen, without a cursor
	leaveScreen = "\x1b[?25h\x1b[?1049l"
	toCorner    = "\x1b[H"
	eraseLine   = "\x1b[K" // from the cursor to its end
	eraseBelow  = "\x1b[J"
)

// A screen shows lines on a terminal, whatever its size. Each picture is one write over the one before, and nothing is
// erased before it is written again, so that it does not flicker. No library does that on the second screen and below
// log lines alike. Safe for concurrent use.
type screen struct {
	terminal *os.File
	whole    bool // the lines take the second screen; otherwise they stand below what is written with Write
	lines    func(rows, columns int) []string

	mu            sync.Mutex
	entered       bool
	closed        bool
	shown         int // lines of the picture
	rows, columns int // of the terminal, as the picture has it
}

// size is the size of the terminal, or the usual one where it does not say.
func (s *screen) size() (rows, columns int) {
	columns, rows, err := term.GetSize(int(s.terminal.Fd()))
	if err != nil || rows < 1 || columns < 1 {
		return 24, 80
	}
	return rows, columns
}

// draw shows the lines as they are now.
func (s *screen) draw() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.picture(nil)
}

// redraw draws where the terminal has another size than the picture.
func (s *screen) redraw() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rows, columns := s.size(); s.shown == 0 || rows == s.rows && columns == s.columns {
		return nil
	}
	return s.picture(nil)
}

// Write writes whole lines above the picture, and in its place once the screen is closed.
func (s *screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return s.terminal.Write(text)
	}
	return len(text), s.picture(text)
}

func (s *screen) picture(above []byte) error {
	var b bytes.Buffer
	if s.whole && !s.entered {
		s.entered = true
		b.WriteString(enterScreen)
	}
	b.WriteString(s.begin())
	if len(above) > 0 {
		b.WriteString(eraseBelow)
		b.Write(above)
	}
	s.rows, s.columns = s.size()
	// The last column stays empty: erasing the rest of a full line takes its last character.
	lines := s.lines(s.rows, s.columns-1)
	for i, line := range lines {
		if i > 0 {
			b.WriteString("\n") // not after the last line, which would scroll
		}
		b.WriteString(line + eraseLine)
	}
	b.WriteString(eraseBelow)
	s.shown = len(lines)
	_, err := s.terminal.Write(b.Bytes())
	return err
}

// begin leads from the end of the picture to its beginning.
func (s *screen) begin() string {
	switch {
	case s.whole:
		return toCorner
	case s.shown > 1:
		return fmt.Sprintf("\r\x1b[%dA", s.shown-1)
	}
	return "\r"
}

// close leaves the last picture of a whole screen on the terminal's first screen, and takes any other away.
func (s *screen) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.shown == 0 {
		s.closed = true
		return nil
	}
	s.closed = true
	b := bytes.NewBufferString(s.begin() + eraseBelow)
	if s.whole {
		b = bytes.NewBufferString(leaveScreen)
		s.rows, s.columns = s.size()
		for _, line := range s.lines(s.rows-1, s.columns-1) {
			b.WriteString(line + "\n")
		}
	}
	_, err := s.terminal.Write(b.Bytes())
	return err
}
