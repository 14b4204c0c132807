package ops

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/life"
)

// read reads a log: its lines, and those that are none.
func read(t *testing.T, text string) (lines []Line, bad []string) {
	t.Helper()
	err := ReadLog(strings.NewReader(text), func(n int, l *Line, err error) error {
		if err != nil {
			bad = append(bad, fmt.Sprintf("%d: %v", n, err))
		} else {
			lines = append(lines, *l)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines, bad
}

// TestReadLog: what NewLog writes is read again, in both forms, whatever characters are in it.
func TestReadLog(t *testing.T) {
	for _, form := range []string{LogJSON, LogText} {
		var b bytes.Buffer
		log, err := NewLog(&b, LogStyle{Form: form, Level: "debug"})
		if err != nil {
			t.Fatal(err)
		}
		log = log.With(RunKey, "r1", WorkerKey, `a "b"`)
		log.Warn("it failed\nagain", ErrorKey, "x=y \\ z\t", "empty", "", AttemptKey, 3, "so", true)
		log.Debug("two words", Window(window(2).ID()))
		lines, bad := read(t, b.String()+"\n\n")
		if len(lines) != 2 || len(bad) > 0 {
			t.Fatalf("%s: %+v, %q", form, lines, bad)
		}
		l := lines[0]
		want := map[string]string{
			"run": "r1", "worker": `a "b"`, "error": "x=y \\ z\t", "empty": "", "attempt": "3", "so": "true",
		}
		if l.Level != "WARN" || l.Message != "it failed\nagain" || !maps.Equal(l.Attrs, want) ||
			time.Since(l.Time).Abs() > time.Hour {
			t.Errorf("%s: %+v", form, l)
		}
		want = map[string]string{"run": "r1", "worker": `a "b"`, "layer": "3", "window": "3/a/2"}
		if l := lines[1]; l.Level != "DEBUG" || l.Message != "two words" || !maps.Equal(l.Attrs, want) {
			t.Errorf("%s: %+v", form, l)
		}
	}
}

// TestReadNoLog: lines that are none of a log are told by their numbers, and the others are read.
func TestReadNoLog(t *testing.T) {
	const good = `time=2026-01-02T03:04:05.000Z level=INFO msg=x`
	long := `time=2026-01-02T03:04:05.000Z level=INFO msg=` + strings.Repeat("x", maxLogLine)
	bad := []string{
		"error: it failed", "{}", "{", `{"time":"2026-01-02T03:04:05Z","level":"INFO"}`,
		`{"time":"yesterday","level":"INFO","msg":"x"}`, `{"time":"2026-01-02T03:04:05Z","level":"INFO","msg":"x"} more`,
		`{"time":"2026-01-02T03:04:05Z","level":"INFO","msg":"x"`, "03:04:05  joined: epoch 1", good + ` "open`, good + ` a`,
		good + ` "a"b=c`, good + ` msg=y`, good + ` time=2026-01-02T03:04:05.000Z`, "\x00\xff", long, long + long + long,
		`{"time":"2026-01-02T03:04:05Z","level":"INFO","msg":"x","a":}`, `[1]`,
		`{"time":"2026-01-02T03:04:05Z","level":"INFO","msg":"x",}`,
	}
	lines, told := read(t, good+"\n"+strings.Join(bad, "\n")+"\n"+good)
	if len(lines) != 2 || len(told) != len(bad) {
		t.Errorf("%d lines are read, and %d are not:\n%s", len(lines), len(told), strings.Join(told, "\n"))
	}
	for i, text := range told {
		if !strings.HasPrefix(text, fmt.Sprintf("%d: ", i+2)) || len(text) > 400 {
			t.Errorf("line %d: %s", i+2, text)
		}
	}
	broken := errors.New("broken")
	err := ReadLog(iotest.ErrReader(broken), func(int, *Line, error) error { return nil })
	if !errors.Is(err, broken) {
		t.Errorf("a reader that fails: %v", err)
	}
	err = ReadLog(strings.NewReader(good), func(int, *Line, error) error { return broken })
	if !errors.Is(err, broken) {
		t.Errorf("a caller that has enough: %v", err)
	}
}

// TestLifeEvents: each message of a life is read as it was logged.
func TestLifeEvents(t *testing.T) {
	for message, kind := range kinds {
		var b bytes.Buffer
		log, err := NewLog(&b, LogStyle{Form: LogJSON, Level: "debug"})
		if err != nil {
			t.Fatal(err)
		}
		want := life.Event{Kind: kind, Took: 1500 * time.Microsecond, Audit: true, Copy: true, Reused: true, Held: 7}
		if want.AboutWindow() {
			want.Window = window(2).ID()
		}
		if kind != life.Began {
			want.Worker = "w1"
		}
		attrs := []slog.Attr{
			slog.Duration(TookKey, want.Took), If(AuditKey, true), If(CopyKey, true), If(ReusedKey, true),
			slog.Int(HeldKey, want.Held), slog.String(WorkerKey, want.Worker), slog.Duration("silent", 2*time.Second),
		}
		if want.AboutWindow() {
			LogWindow(log, slog.LevelDebug, message, want.Window, attrs...)
		} else {
			log.LogAttrs(t.Context(), slog.LevelInfo, message, attrs...)
		}
		lines, _ := read(t, b.String())
		e, is, err := lines[0].LifeEvent()
		want.Time, want.Why = lines[0].Time, "silent for 2s, windows held: 7"
		if !is || err != nil || e != want {
			t.Errorf("%s: %+v, %t, %v, want %+v", message, e, is, err, want)
		}
	}
}

// TestNoLifeEvents: lines about other things are none, and those that the programs do not write are errors.
func TestNoLifeEvents(t *testing.T) {
	for _, l := range []Line{
		{Message: "progress"}, {Message: MsgRun, Attrs: map[string]string{WorkerKey: "w1"}},
	} {
		if e, is, err := l.LifeEvent(); is || err != nil || e != (life.Event{}) {
			t.Errorf("%+v: %+v, %v", l, e, err)
		}
	}
	for _, l := range []Line{
		{Message: MsgTaken}, {Message: MsgTaken, Attrs: map[string]string{WindowKey: "3/a"}},
		{Message: MsgGone, Attrs: map[string]string{WindowKey: "3/a/2"}},
		{Message: MsgTaken, Attrs: map[string]string{WindowKey: "3/a/2", TookKey: "long"}},
		{Message: MsgJoined, Attrs: map[string]string{HeldKey: "many"}},
	} {
		if _, is, err := l.LifeEvent(); is || err == nil {
			t.Errorf("%+v is an event", l)
		}
	}
}

// FuzzReadLog: no line breaks the reader, and whatever texts a program logs are read as they were.
func FuzzReadLog(f *testing.F) {
	f.Add("window taken", "w1", `time=2026-01-02T03:04:05.000Z level=INFO msg=x`)
	f.Add("a\nb", `"`, `{"time":"2026-01-02T03:04:05Z","level":"INFO","msg":"window lost","window":"1/a/0","took":1}`)
	f.Add("=", " ", "time=x level= msg=\"")
	f.Fuzz(func(t *testing.T, message, value, line string) {
		lines, _ := read(t, line)
		for i := range lines {
			if e, is, err := lines[i].LifeEvent(); is && err == nil && e.AboutWindow() {
				_ = life.Of(e.Window, []life.Event{e})
			}
		}
		valid := strings.ToValidUTF8 // JSON has no other
		message, value = valid(message, "?"), valid(value, "?")
		for _, form := range []string{LogJSON, LogText} {
			var b bytes.Buffer
			log, err := NewLog(&b, LogStyle{Form: form})
			if err != nil {
				t.Fatal(err)
			}
			log.Info(message, ErrorKey, value)
			lines, bad := read(t, b.String())
			if len(lines) != 1 || len(bad) > 0 || lines[0].Message != message || lines[0].Attrs[ErrorKey] != value {
				t.Errorf("%s: %q and %q are read as %+v, %q", form, message, value, lines, bad)
			}
		}
	})
}

// TestLogWindow: a message below the level of a log costs nothing but the question for the level.
func TestLogWindow(t *testing.T) {
	var b bytes.Buffer
	log, err := NewLog(&b, LogStyle{Form: LogText})
	if err != nil {
		t.Fatal(err)
	}
	id := puzzle.WindowID{Cell: puzzle.Cell{Layer: 1, Key: "a"}}
	n := testing.AllocsPerRun(100, func() {
		LogWindow(log, slog.LevelDebug, MsgTaken, id, slog.String(WorkerKey, "w1"), slog.Duration(TookKey, 1),
			If(AuditKey, true))
	})
	if n > 0 || b.Len() > 0 {
		t.Errorf("%v allocations, %q", n, b.String())
	}
	LogWindow(log, slog.LevelInfo, MsgTaken, id, If(AuditKey, true), If(CopyKey, false))
	if line := b.String(); !strings.HasSuffix(line, `msg="window taken" layer=1 window=1/a/0 audit=true`+"\n") {
		t.Error(line)
	}
}
