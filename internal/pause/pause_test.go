package pause_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"pagoda/internal/pause"
)

func TestFor(t *testing.T) {
	if err := pause.For(t.Context(), time.Nanosecond); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Millisecond, cancel)
	if err := pause.For(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
