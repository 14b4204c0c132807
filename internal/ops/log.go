package ops

import (
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"pagoda/internal/puzzle"
)

// Forms of log lines.
const (
	LogText = "text" // key=value pairs
	LogJSON = "json" // one object a line
)

// LogLevels are the levels from which a log can begin, the most talkative first.
var LogLevels = []string{"debug", "info", "warn", "error"}

// A LogStyle says what the lines of a log look like and which there are. The zero value is text from info on.
type LogStyle struct {
	Form  string // LogText or LogJSON; "" is LogText
	Level string // one of LogLevels; "" is info
}

// NewLog returns a log on w. A form or level that does not exist is an error.
func NewLog(w io.Writer, style LogStyle) (*slog.Logger, error) {
	options := new(slog.HandlerOptions)
	if style.Level != "" {
		var level slog.Level
		if !slices.Contains(LogLevels, style.Level) || level.UnmarshalText([]byte(style.Level)) != nil {
			return nil, fmt.Errorf("%.40q is no level of a log: choose one of %s", style.Level, strings.Join(LogLevels, ", "))
		}
		options.Level = level
	}
	switch style.Form {
	case "", LogText:
		return slog.New(slog.NewTextHandler(w, options)), nil
	case LogJSON:
		return slog.New(slog.NewJSONHandler(w, options)), nil
	}
	return nil, fmt.Errorf("%.40q is no form of log lines: choose %s or %s", style.Form, LogText, LogJSON)
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
