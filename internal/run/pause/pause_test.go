package pause_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/run/pause"
)

func TestFor(t *testing.T) { synctest.Test(t, testFor) }

func testFor(t *testing.T) {
	begun := time.Now()
	if err := pause.For(t.Context(), time.Hour); err != nil || time.Since(begun) != time.Hour {
		t.Errorf("waited for %v: %v", time.Since(begun), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Millisecond, cancel)
	begun = time.Now()
	if err := pause.For(ctx, time.Hour); !errors.Is(err, context.Canceled) || time.Since(begun) != time.Millisecond {
		t.Errorf("waited for %v: %v", time.Since(begun), err)
	}
}
