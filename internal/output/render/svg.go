package render

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"strconv"
	"unicode/utf8"

	"pagoda/internal/puzzle/figure"
)

// Measures of a sheet of pictures, in pixels.
const (
	sheetWidth  = 1000.0 // pictures beside each other, as many as fit
	sheetTop    = 44.0   // room for the title
	sheetMargin = 14.0
	figureTitle = 22.0
)

// Picture draws figures on one sheet, as SVG. The texts of a figure are drawn as they are; numbers decide only where a
// mark is.
func Picture(title string, list []figure.Figure) []byte {
	var body bytes.Buffer
	x, y, row, right := sheetMargin, sheetTop, 0.0, 320.0
	for i := range list {
		p := draw(&list[i])
		top := 0.0
		if len(list) > 1 {
			top = figureTitle
			p.width = max(p.width, letterWidth*float64(utf8.RuneCountInString(list[i].Title)))
		}
		if x > sheetMargin && x+p.width+sheetMargin > sheetWidth {
			x, y, row = sheetMargin, y+row, 0
		}
		fmt.Fprintf(&body, `<g transform="translate(%s %s)">`+"\n", px(x), px(y))
		if top > 0 {
			fmt.Fprintf(&body, `<text x="0" y="12" fill="%s">%s</text>`+"\n", shades[figure.Ink],
				html.EscapeString(list[i].Title))
		}
		fmt.Fprintf(&body, `<g transform="translate(0 %s)">`+"\n%s</g>\n</g>\n", px(top), p.body.Bytes())
		x += p.width + sheetMargin
		row = max(row, p.height+top+sheetMargin)
		right = max(right, x)
	}
	var b bytes.Buffer
	width := max(right, sheetMargin*2+7.5*float64(len(title)))
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" font-family="sans-serif" `+
		`font-size="12" role="img">`+"\n", px(width), px(y+row))
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(title))
	b.WriteString(`<rect width="100%" height="100%" fill="#fff"/>` + "\n")
	fmt.Fprintf(&b, `<text x="%s" y="26" font-size="14" fill="%s">%s</text>`+"\n", px(sheetMargin), shades[figure.Ink],
		html.EscapeString(title))
	b.Write(body.Bytes())
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// A picture is the drawing of one figure, with its origin at the top left.
type picture struct {
	body          bytes.Buffer
	width, height float64
}

func draw(f *figure.Figure) *picture {
	p := &picture{}
	switch {
	case f.Board != nil:
		p.board(f.Board)
	case f.Chart != nil:
		p.chart(f.Chart)
	case f.Graph != nil:
		p.graph(f.Graph)
	}
	return p
}

func (p *picture) printf(format string, args ...any) { fmt.Fprintf(&p.body, format, args...) }

// text draws text around a point, or from it on.
func (p *picture) text(x, y, size float64, anchor, fill, text string) {
	if text != "" {
		p.printf(`<text x="%s" y="%s" font-size="%s" text-anchor="%s" fill="%s">%s</text>`+"\n", px(x), px(y), px(size),
			anchor, fill, html.EscapeString(text))
	}
}

// px is a length, to a hundredth of a pixel.
func px(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64) }

// number writes a place of an axis or a value that has no exact text.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
