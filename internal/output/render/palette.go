package render

import "pagoda/internal/puzzle/figure"

// shades are the colours of pictures on white paper. Hues can be told apart in grey, and all but a few take black text.
var shades = map[figure.Colour]string{
	figure.Ink: "#333333", figure.Faint: "#dddddd", figure.Accent: "#2b6cb0",
	figure.Good: "#2f9e44", figure.Bad: "#c92a2a", figure.Neutral: "#adb5bd",
	figure.Red: "#e8685d", figure.Blue: "#6fa8dc", figure.Green: "#8fce6f", figure.Yellow: "#ffe45c",
	figure.Purple: "#b48ede", figure.White: "#ffffff", figure.Black: "#444444", figure.Orange: "#f6a04d",
}

// dark are the colours on which text is white.
var dark = map[figure.Colour]bool{
	figure.Ink: true, figure.Accent: true, figure.Good: true, figure.Bad: true, figure.Black: true,
}

// series are the colours of the series of a chart, in order, again from the first when there are more.
var series = []figure.Colour{
	figure.Accent, figure.Orange, figure.Good, figure.Purple, figure.Bad, figure.Ink, figure.Blue, figure.Yellow,
}

// shade is a colour as SVG and DOT write it; white for none.
func shade(c figure.Colour) string {
	if s, ok := shades[c]; ok {
		return s
	}
	return shades[figure.White]
}

// over is the colour of text over a colour of a strength.
func over(c figure.Colour, strength float64) string {
	if dark[c] && strength > 0.55 {
		return shades[figure.White]
	}
	return shades[figure.Ink]
}
