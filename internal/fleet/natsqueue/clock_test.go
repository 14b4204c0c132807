package natsqueue

import (
	"testing"
	"time"
)

func TestServerClock(t *testing.T) {
	var c serverClock
	wall, own := time.Unix(1e9, 0), time.Now()
	for _, step := range []struct{ server, asked, answered, back time.Duration }{
		{0, 0, 0, 0}, // the first reading says nothing
		{time.Second, time.Second, time.Second, 0},
		{2 * time.Second, 2 * time.Second, 9 * time.Second, 0},                            // a slow answer
		{9 * time.Second, 10 * time.Second, 11 * time.Second, 0},                          // it was taken late
		{9 * time.Second, 12 * time.Second, 13 * time.Second, time.Second},                // stood still
		{time.Hour, 14 * time.Second, 15 * time.Second, 0},                                // forward
		{10 * time.Second, 16 * time.Second, 16 * time.Second, time.Hour - 9*time.Second}, // back again
		{-time.Hour, 16 * time.Second, 16 * time.Second, time.Hour + 10*time.Second},
	} {
		if back := c.wentBack(wall.Add(step.server), own.Add(step.asked)); back != step.back {
			t.Errorf("%+v: %s", step, back)
		}
		c.note(wall.Add(step.server), own.Add(step.answered))
	}
}
