package render

import (
	"fmt"
	"regexp"
	"testing"

	"pagoda/internal/puzzle/figure"
)

// TestSeriesDiffer: the 13 lines of a chart all look different, as do their marks in the legend.
func TestSeriesDiffer(t *testing.T) {
	c := &figure.Chart{Lines: true, Linear: true}
	for i := range 13 {
		c.Series = append(c.Series, figure.Series{Name: fmt.Sprint(i),
			Points: []figure.Point{{X: 0, Y: 1}, {X: 1, Y: float64(i)}}})
	}
	svg := draw(&figure.Figure{Chart: c}).body.String()
	for _, style := range []string{
		`<path d="M[^"]*" fill="none"( stroke=[^/]*)/>`, `<rect [^>]*height="10"( fill=[^/]*)/>`,
	} {
		looks := map[string]int{}
		for _, m := range regexp.MustCompile(style).FindAllStringSubmatch(svg, -1) {
			looks[m[1]]++
		}
		if len(looks) != 13 {
			t.Errorf("13 series have %d looks: %v", len(looks), looks)
		}
	}
}
