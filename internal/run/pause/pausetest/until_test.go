package pausetest_test

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/run/pause/pausetest"
)

// ended is a test that notes how it ended.
type ended struct{ text string }

func (e *ended) Fatalf(format string, args ...any) {
	e.text = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func TestUntil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		pausetest.Until(t, "it never was a second later", func() bool { return time.Since(begun) >= time.Second })
		if d := time.Since(begun); d != time.Second {
			t.Errorf("waited for %v", d)
		}
		var e ended
		done := make(chan struct{})
		go func() {
			defer close(done)
			pausetest.Until(&e, "it never came", func() bool { return false })
		}()
		<-done
		if e.text != "after 5m0s: it never came" {
			t.Errorf("said %q", e.text)
		}
	})
}
