package ops

import (
	"fmt"
	"io"
	"log/slog"

	"pagoda/internal/puzzle"
)

// Forms of log lines.
const (
	LogText = "text" // key=value pairs
	LogJSON = "json" // one object a line
)

// NewLog returns a log on w in one of the forms LogText and LogJSON.
func NewLog(w io.Writer, form string) (*slog.Logger, error) {
	switch form {
	case LogText:
		return slog.New(slog.NewTextHandler(w, nil)), nil
	case LogJSON:
		return slog.New(slog.NewJSONHandler(w, nil)), nil
	}
	return nil, fmt.Errorf("%.40q is no form of log lines: choose %s or %s", form, LogText, LogJSON)
}

// Names of attributes that several log lines share, so that a search for one finds them all.
const (
	RunKey     = "run"     // run ID
	LayerKey   = "layer"   // number of the layer
	WindowKey  = "window"  // layer/cell/part
	AttemptKey = "attempt" // from 1
	WorkerKey  = "worker"  // name of the worker
	ErrorKey   = "error"
)

// Window returns the attributes that name a window.
func Window(id puzzle.WindowID) slog.Attr {
	return slog.Group("", slog.Int(LayerKey, id.Layer), slog.String(WindowKey, id.String()))
}
