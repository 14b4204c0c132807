package render

import (
	"testing"

	"pagoda/internal/run/status"
)

func TestLeft(t *testing.T) {
	for want, left := range map[string]*status.Left{
		"unknown": nil, "5s to 24s": {Low: 4.8, High: 24.1}, "about 1s": {}, "2m5s to 1h0m0s": {Low: 125, High: 3600},
	} {
		if got := Left(left); got != want {
			t.Errorf("%+v is %q, want %q", left, got, want)
		}
	}
}
