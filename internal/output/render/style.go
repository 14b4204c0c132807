package render

import (
	"cmp"
	"fmt"

	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/quantity"
)

// A Style says how a text for people looks. The zero value is for files and pipes: no program that reads them meets a
// separator, an escape sequence, or a line that depends on a window's size.
type Style struct {
	Width   int  // columns; 0: boards side by side in 80, and no text is broken
	Grouped bool // a comma between groups of three digits
	Colour  bool
}

// fileWidth is the width of boards side by side in a file.
const fileWidth = 80

// room is how many columns boards side by side have.
func (st Style) room() int { return cmp.Or(st.Width, fileWidth) }

// digits is a decimal number as the style has it: 40861647040079968, or 40,861,647,040,079,968.
func (st Style) digits(n string) string {
	if st.Grouped {
		return quantity.Grouped(n)
	}
	return n
}

// Number is a number without a sign as the style has it.
func (st Style) Number(n any) string { return st.digits(fmt.Sprint(n)) }

// Of is a number and a regular English noun, as plural.Of writes them.
func (st Style) Of(n any, noun string) string { return plural.Digits(st.Number(n), noun) }

// An ink is how a character is coloured. All of them can be read on light and on dark terminals.
type ink string

// The inks. Marked is magenta, the only colour of the eight that stands out from white as well as from black.
const (
	noInk  ink = ""
	faint  ink = "2"
	strong ink = "1"
	marked ink = "1;35"
	alarm  ink = "1;31"
)

// paint colours a text, where the style has colours.
func (st Style) paint(k ink, text string) string {
	if !st.Colour || k == noInk || text == "" {
		return text
	}
	return "\x1b[" + string(k) + "m" + text + "\x1b[0m"
}
