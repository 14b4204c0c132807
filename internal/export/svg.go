package export

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

// The picture's measures, in pixels.
const (
	svgWidth, svgHeight      = 800, 420
	svgLeft, svgRight        = 72, 16
	svgTop, svgBottom        = 44, 52
	plotWidth, plotHeight    = svgWidth - svgLeft - svgRight, svgHeight - svgTop - svgBottom
	minLabelWidth            = 22.0 // a label of the horizontal axis needs this much
	maxBars                  = 4096
	decade                   = 10.0
	svgInk, svgGrid, svgFill = "#333", "#ddd", "#2b6cb0"
)

// writeSVG draws one bar for each row. Heights are drawn from doubles; the exact value is the bar's tooltip.
func writeSVG(w io.Writer, rows Rows, o Options) error {
	col, err := chosen(SVG, rows.Columns, o)
	if err != nil {
		return err
	}
	var labels, exact []string
	var values []float64
	err = rows.Each(func(row []puzzle.Value) error {
		if len(values) == maxBars {
			return fmt.Errorf("svg: more than %d rows: %w", maxBars, ErrFormat)
		}
		labels = append(labels, row[0].N.String())
		exact = append(exact, row[col].N.String())
		values = append(values, approximate(row[col].N))
		return nil
	})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	x, y := rows.Columns[0].Name, rows.Columns[col].Name
	title := o.Title
	if title == "" {
		title = y + " by " + x
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" `+
		`font-size="12" role="img">`+"\n", svgWidth, svgHeight)
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(title))
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", svgWidth, svgHeight)
	fmt.Fprintf(&b, `<text x="%d" y="24" font-size="16" fill="%s">%s</text>`+"\n",
		svgLeft, svgInk, html.EscapeString(title))

	height, ticks := scale(values, o.Log)
	for _, t := range ticks {
		at := bottom() - height(t)
		fmt.Fprintf(&b, `<path d="M%d %sH%d" stroke="%s"/><text x="%d" y="%s" text-anchor="end" fill="%s">%s</text>`+"\n",
			svgLeft, px(at), svgWidth-svgRight, svgGrid, svgLeft-6, px(at+4), svgInk, short(t))
	}
	step := float64(plotWidth) / float64(max(len(values), 1))
	every := int(math.Ceil(minLabelWidth / step))
	for i, v := range values {
		left, h := svgLeft+float64(i)*step, height(v)
		if v > 0 {
			h = max(h, 1) // a small value is still seen to be there
		}
		fmt.Fprintf(&b, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"><title>%s %s: %s</title></rect>`+"\n",
			px(left+step*0.08), px(bottom()-h), px(step*0.84), px(h), svgFill, html.EscapeString(x), labels[i], exact[i])
		if i%every == 0 {
			fmt.Fprintf(&b, `<text x="%s" y="%s" text-anchor="middle" fill="%s">%s</text>`+"\n",
				px(left+step/2), px(bottom()+16), svgInk, labels[i])
		}
	}
	fmt.Fprintf(&b, `<path d="M%d %sH%d" stroke="%s"/>`+"\n", svgLeft, px(bottom()), svgWidth-svgRight, svgInk)
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle" fill="%s">%s</text>`+"\n</svg>\n",
		svgLeft+plotWidth/2, svgHeight-12, svgInk, html.EscapeString(x))
	_, err = w.Write(b.Bytes())
	return err
}

func bottom() float64 { return svgHeight - svgBottom }

func approximate(v uint128.Uint128) float64 { return float64(v.Hi)*0x1p64 + float64(v.Lo) }

// scale returns the height of a value in pixels and the values of the horizontal lines.
func scale(values []float64, log bool) (height func(float64) float64, ticks []float64) {
	most := 1.0
	for _, v := range values {
		most = max(most, v)
	}
	if log {
		decades := max(math.Ceil(math.Log10(most)), 1)
		for d, step := 0.0, math.Ceil(decades/8); d <= decades; d += step {
			ticks = append(ticks, math.Pow(decade, d))
		}
		// A bar of 1 has the height 0 on this scale; the caller makes it one pixel so that it is seen.
		return func(v float64) float64 {
			if v < 1 {
				return 0
			}
			return plotHeight * math.Log10(v) / decades
		}, ticks
	}
	step := math.Pow(decade, math.Floor(math.Log10(most)))
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
	return func(v float64) float64 { return plotHeight * v / top }, ticks
}

func px(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64) }

// short writes the value of a line: 0, 500, 2.5M, 1e12.
func short(v float64) string {
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
