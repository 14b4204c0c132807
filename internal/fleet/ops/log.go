package ops

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"pagoda/internal/puzzle"
)

// Forms of log lines.
const (
	LogPeople = "people" // sentences, without attributes that are empty
	LogText   = "text"   // key=value pairs
	LogJSON   = "json"   // one object a line
)

// LogForms lists all forms.
var LogForms = []string{LogPeople, LogText, LogJSON}

// LogLevels are the levels from which a log can begin, the most talkative first.
var LogLevels = []string{"debug", LogInfo, "warn", "error"}

// LogInfo is the default log level.
const LogInfo = "info"

// A LogStyle is the form and the level of a log. The zero value is text from info on.
type LogStyle struct {
	Form  string // one of LogForms; "" is LogText
	Level string // one of LogLevels; "" is LogInfo
}

// CheckForm says whether there is no such form.
func (s LogStyle) CheckForm() error {
	if s.Form != "" && !slices.Contains(LogForms, s.Form) {
		return fmt.Errorf("%.40q is not one of %s", s.Form, strings.Join(LogForms, ", "))
	}
	return nil
}

// CheckLevel says whether there is no such level.
func (s LogStyle) CheckLevel() error {
	if !slices.Contains(LogLevels, s.Level) {
		return fmt.Errorf("%.40q is not one of %s", s.Level, strings.Join(LogLevels, ", "))
	}
	return nil
}

// NewLog returns a log on w. A form or level that does not exist is an error.
func NewLog(w io.Writer, style LogStyle) (*slog.Logger, error) {
	style = LogStyle{Form: cmp.Or(style.Form, LogText), Level: cmp.Or(style.Level, LogInfo)}
	if err := cmp.Or(style.CheckForm(), style.CheckLevel()); err != nil {
		return nil, err
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(style.Level)); err != nil {
		return nil, err
	}
	options := &slog.HandlerOptions{Level: level}
	switch style.Form {
	case LogJSON:
		return slog.New(slog.NewJSONHandler(w, options)), nil
	case LogPeople:
		return slog.New(newPeople(w, level)), nil
	}
	return slog.New(slog.NewTextHandler(w, options)), nil
}

// Names of attributes that several log lines share, so that a search for one finds them all.
const (
	RunKey     = "run"     // run ID
	LayerKey   = "layer"   // number of the layer
	WindowKey  = "window"  // layer/cell/part
	AttemptKey = "attempt" // from 1
	WorkerKey  = "worker"  // name of the worker
	TookKey    = "took"    // time of a computation
	AuditKey   = "audit"   // true: a window is computed a second time
	CopyKey    = "copy"    // true: a window is copied, not computed
	ReusedKey  = "reused"  // true: a window was there already
	HoldsKey   = "holds"   // true: the worker holds the window now
	HeldKey    = "windows_held"
	LostKey    = "windows_lost"  // windows without a holder
	AgainKey   = "windows_again" // windows that are computed again
	CauseKey   = "cause"         // the complaint of another worker
	ReasonKey  = "reason"        // why something is not believed
	ErrorKey   = "error"
)

// Window returns the attributes that name a window.
func Window(id puzzle.WindowID) slog.Attr {
	return slog.Group("", slog.Int(LayerKey, id.Layer), slog.String(WindowKey, id.String()))
}

// If returns an attribute that is there where it is true. Of most windows no such attribute is.
func If(key string, is bool) slog.Attr {
	if !is {
		return slog.Attr{}
	}
	return slog.Bool(key, is)
}

// LogWindow logs a message about a window, if the log has the level.
func LogWindow(log *slog.Logger, level slog.Level, msg string, id puzzle.WindowID, attrs ...slog.Attr) {
	ctx := context.Background()
	if log.Enabled(ctx, level) { // otherwise the name of the window is not made: there are many
		log.LogAttrs(ctx, level, msg, append([]slog.Attr{Window(id)}, attrs...)...)
	}
}
