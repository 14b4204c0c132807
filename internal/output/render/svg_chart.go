package render

import (
	"cmp"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"

	"pagoda/internal/puzzle/figure"
)

// Measures of a chart, in pixels.
const (
	chartWidth, chartHeight = 800.0, 376.0
	chartLeft, chartRight   = 72.0, 16.0
	chartTop, chartBottom   = 6.0, 52.0
	plotWidth               = chartWidth - chartLeft - chartRight
	plotHeight              = chartHeight - chartTop - chartBottom
	bottom                  = chartTop + plotHeight
	minLabelWidth           = 24.0 // a label of the horizontal axis needs this much
	letterWidth             = 7.0
	legendColumns           = 5
)

// chart draws bars side by side, or lines. The exact value is the tooltip of its mark.
func (p *picture) chart(c *figure.Chart) {
	p.width, p.height = chartWidth, chartHeight
	ink, grid := shades[figure.Ink], shades[figure.Faint]
	var values []float64
	for i := range c.Series {
		for _, q := range c.Series[i].Points {
			values = append(values, q.Y)
		}
	}
	height, ticks := axis(values, logarithmic(c, values))
	for _, t := range ticks {
		at := bottom - height(t)
		p.printf(`<path d="M%s %sH%s" stroke="%s"/>`+"\n", px(chartLeft), px(at), px(chartWidth-chartRight), grid)
		p.text(chartLeft-6, at+4, 12, "end", ink, brief(t))
	}
	where := places(c)
	step := plotWidth / float64(max(len(where), 1))
	middle := func(x float64) float64 {
		i, _ := slices.BinarySearch(where, x)
		return chartLeft + (float64(i)+0.5)*step
	}
	if n := len(where); c.Lines && n > 1 {
		middle = func(x float64) float64 {
			return chartLeft + step/2 + (x-where[0])/(where[n-1]-where[0])*(plotWidth-step)
		}
	}
	for i := range c.Series {
		if c.Lines {
			p.line(c, i, middle, height)
		} else {
			p.bars(c, i, middle, height, step)
		}
	}
	widest := 0
	for _, x := range where {
		widest = max(widest, len(number(x)))
	}
	every := int(math.Ceil(max(minLabelWidth, letterWidth*float64(widest+1)) / step))
	for i := 0; i < len(where); i += every {
		p.text(middle(where[i]), bottom+16, 12, "middle", ink, number(where[i]))
	}
	p.printf(`<path d="M%s %sH%s" stroke="%s"/>`+"\n", px(chartLeft), px(bottom), px(chartWidth-chartRight), ink)
	p.text(chartLeft+plotWidth/2, chartHeight-12, 12, "middle", ink, c.X)
	if len(c.Series) > 1 {
		for i := range c.Series {
			x, y := chartLeft+4+float64(i%legendColumns)*130, chartTop+float64(i/legendColumns)*16
			fill, dash := seriesShade(i), ""
			if c.Lines {
				fill, dash = seriesMark(i)
			}
			p.printf(`<rect x="%s" y="%s" width="10" height="10" fill="%s" stroke="%s"%s/>`+"\n", px(x), px(y+2), fill,
				seriesShade(i), dash)
			p.text(x+14, y+11, 12, "start", ink, c.Series[i].Name)
		}
	}
}

func seriesShade(i int) string { return shade(series[i%len(series)]) }

// seriesMark returns the fill of the points of a line, and its dashes: hollow and dashed from the first colour that
// comes again.
func seriesMark(i int) (fill, dash string) {
	if i < len(series) {
		return seriesShade(i), ""
	}
	return shades[figure.White], ` stroke-dasharray="5 3"`
}

// bars draws a series as bars, beside those of the other series.
func (p *picture) bars(c *figure.Chart, i int, middle, height func(float64) float64, step float64) {
	width := step * 0.84 / float64(len(c.Series))
	for _, q := range c.Series[i].Points {
		h := height(q.Y)
		if q.Y > 0 {
			h = max(h, 1) // a small value is still seen to be there
		}
		left := middle(q.X) - step*0.42 + float64(i)*width
		p.printf(`<rect x="%s" y="%s" width="%s" height="%s" fill="%s"><title>%s</title></rect>`+"\n", px(left),
			px(bottom-h), px(width), px(h), seriesShade(i), html.EscapeString(tooltip(c, i, &q)))
	}
}

// line draws a series as points and the lines between them.
func (p *picture) line(c *figure.Chart, i int, middle, height func(float64) float64) {
	var path []string
	fill, dash := seriesMark(i)
	for _, q := range c.Series[i].Points {
		path = append(path, px(middle(q.X))+" "+px(bottom-height(q.Y)))
	}
	if len(path) > 1 {
		p.printf(`<path d="M%s" fill="none" stroke="%s" stroke-width="1.5"%s/>`+"\n", strings.Join(path, "L"),
			seriesShade(i), dash)
	}
	for _, q := range c.Series[i].Points {
		p.printf(`<circle cx="%s" cy="%s" r="2.5" fill="%s" stroke="%s"><title>%s</title></circle>`+"\n", px(middle(q.X)),
			px(bottom-height(q.Y)), fill, seriesShade(i), html.EscapeString(tooltip(c, i, &q)))
	}
}

func tooltip(c *figure.Chart, i int, q *figure.Point) string {
	name := ""
	if len(c.Series) > 1 {
		name = ", " + cmp.Or(c.Series[i].Name, c.Y)
	}
	return c.X + " " + number(q.X) + name + ": " + exact(q)
}

// logarithmic reports whether the vertical axis is to be logarithmic.
func logarithmic(c *figure.Chart, values []float64) bool {
	least, most := math.Inf(1), 0.0
	for _, v := range values {
		if v > 0 {
			least, most = min(least, v), max(most, v)
		}
	}
	return c.Logarithmic || !c.Linear && most > 100*least
}

// axis returns the height of a value in pixels and the values of the horizontal lines.
func axis(values []float64, log bool) (height func(float64) float64, ticks []float64) {
	least, most := math.Inf(1), 0.0
	for _, v := range values {
		if v > 0 {
			least = min(least, v)
		}
		most = max(most, v)
	}
	if most == 0 {
		least, most = 1, 1
	}
	if log {
		low := math.Floor(math.Log10(least))
		decades := max(math.Ceil(math.Log10(most))-low, 1)
		for d, step := 0.0, math.Ceil(decades/8); d <= decades; d += step {
			ticks = append(ticks, math.Pow(10, low+d))
		}
		// The least power of ten has the height 0 on this scale; the caller makes it one pixel so that it is seen.
		return func(v float64) float64 {
			if v <= 0 {
				return 0
			}
			return max(0, plotHeight*(math.Log10(v)-low)/decades)
		}, ticks
	}
	step := math.Pow(10, math.Floor(math.Log10(most)))
	for _, part := range []float64{0.2, 0.5} {
		if most/(step*part) <= 5 {
			step *= part
			break
		}
	}
	top := math.Ceil(most/step) * step
	for i := 0.0; i*step <= top; i++ {
		ticks = append(ticks, i*step)
	}
	return func(v float64) float64 { return max(0, plotHeight*v/top) }, ticks
}

// brief writes the value of a line: 0, 500, 2.5M, 1e12.
func brief(v float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e12, ""}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {0, ""}} {
		switch {
		case v < u.size:
		case u.size == 1e12:
			return strings.Replace(strconv.FormatFloat(v, 'e', -1, 64), "e+", "e", 1)
		case u.size == 0:
			return strconv.FormatFloat(v, 'g', 6, 64)
		default:
			return strconv.FormatFloat(v/u.size, 'g', 6, 64) + u.name
		}
	}
	return ""
}
