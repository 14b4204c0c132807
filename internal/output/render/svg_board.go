package render

import (
	"html"

	"pagoda/internal/puzzle/figure"
)

// board draws cells; the more text they carry, the larger they are.
func (p *picture) board(b *figure.Board) {
	pitch := 18.0
	for i := range b.Cells {
		c := &b.Cells[i]
		if c.Inner != figure.None || c.Corner != "" || c.Foot != "" {
			pitch = 60
		} else if c.Label != "" {
			pitch = max(pitch, 32)
		}
	}
	for i := range b.Cells {
		p.cell(&b.Cells[i], pitch)
		p.width = max(p.width, (b.Cells[i].Column+1)*pitch+2)
		p.height = max(p.height, (b.Cells[i].Row+1)*pitch+2)
	}
}

func (p *picture) cell(c *figure.Cell, pitch float64) {
	left, top := c.Column*pitch+1, c.Row*pitch+1
	x, y := left+pitch/2, top+pitch/2
	strength := c.Shade
	if strength == 0 {
		strength = 1
	}
	style := `fill="` + shade(c.Fill) + `"`
	if strength < 1 {
		style += ` fill-opacity="` + px(strength) + `"`
	}
	stroke, thick := figure.Ink, "0.8"
	if c.Ring != figure.None {
		stroke, thick = c.Ring, "2.4"
	}
	style += ` stroke="` + shades[stroke] + `" stroke-width="` + thick + `"`
	p.printf("<g>")
	if c.Detail != "" {
		p.printf("<title>%s</title>", html.EscapeString(c.Detail))
	}
	if c.Shape == figure.Circle {
		p.printf(`<circle cx="%s" cy="%s" r="%s" %s/>`, px(x), px(y), px(pitch*0.44), style)
	} else {
		p.printf(`<rect x="%s" y="%s" width="%s" height="%s" %s/>`, px(left), px(top), px(pitch), px(pitch), style)
	}
	p.printf("\n")
	ink, size := over(c.Fill, strength), pitch*0.34
	if c.Inner != figure.None {
		const side = 28.0
		p.printf(`<rect x="%s" y="%s" width="%s" height="%s" fill="%s" stroke="%s"/>`+"\n", px(x-side/2), px(y-side/2),
			px(side), px(side), shade(c.Inner), shades[figure.Ink])
		ink, size = over(c.Inner, 1), 18
	} else if n := len(c.Label); n > 2 {
		size = pitch * 0.9 / float64(n)
	}
	p.text(x, y+size*0.35, size, "middle", ink, c.Label)
	p.text(left+4, top+12, 11, "start", over(c.Fill, strength), c.Corner)
	p.text(left+pitch-4, top+pitch-4, 11, "end", over(c.Fill, strength), c.Foot)
	p.printf("</g>\n")
}
