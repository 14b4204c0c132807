package export

import (
	"bytes"
	"fmt"
	"html"
	"io"
)

// A Board is a picture of a board, one of several in a sheet.
type Board struct {
	Title string
	Holes []Hole
}

// A Hole is drawn as a disc, the fuller the larger its share.
type Hole struct {
	X, Y  float64 // place, in distances between neighbours; at least 0
	Share float64 // 0 to 1, for the eye alone
	Exact string  // the exact value, as a tooltip
}

// Measures of a sheet of boards, in pixels.
const (
	boardPitch  = 18.0 // between neighbours
	boardRadius = 7.5
	boardMargin = 14.0
	boardTitle  = 20.0
	sheetWidth  = 1000.0
)

// WriteBoards draws boards in rows on a sheet. All have the same measures.
func WriteBoards(w io.Writer, title string, boards []Board) error {
	var right, low float64
	for _, b := range boards {
		for _, h := range b.Holes {
			right, low = max(right, h.X), max(low, h.Y)
		}
	}
	width := (right+1)*boardPitch + 2*boardMargin
	height := (low+1)*boardPitch + 2*boardMargin + boardTitle
	across := max(1, min(len(boards), int(sheetWidth/width)))
	down := (len(boards) + across - 1) / across
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" font-family="sans-serif" `+
		`font-size="12" role="img">`+"\n", px(max(width*float64(across), 320)), px(svgTop+height*float64(down)))
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(title))
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#fff"/>`+"\n")
	fmt.Fprintf(&b, `<text x="%s" y="26" font-size="16" fill="%s">%s</text>`+"\n",
		px(boardMargin), svgInk, html.EscapeString(title))
	for i, board := range boards {
		left, top := width*float64(i%across)+boardMargin, svgTop+height*float64(i/across)+boardMargin
		fmt.Fprintf(&b, `<text x="%s" y="%s" fill="%s">%s</text>`+"\n", px(left), px(top), svgInk,
			html.EscapeString(board.Title))
		for _, h := range board.Holes {
			x, y := left+(h.X+0.5)*boardPitch, top+boardTitle/2+(h.Y+0.5)*boardPitch
			fmt.Fprintf(&b, `<circle cx="%s" cy="%s" r="%s" fill="%s" fill-opacity="%s" stroke="%s" stroke-width="0.6">`+
				"<title>%s</title></circle>\n",
				px(x), px(y), px(boardRadius), svgFill, px(h.Share), svgInk, html.EscapeString(h.Exact))
		}
	}
	b.WriteString("</svg>\n")
	_, err := w.Write(b.Bytes())
	return err
}
