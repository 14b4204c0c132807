package ops

import (
	"bytes"
	"errors"
	"testing"
	"time"
)

func TestLogForPeople(t *testing.T) {
	var b bytes.Buffer
	log, err := NewLog(&b, LogStyle{Form: LogPeople})
	if err != nil {
		t.Fatal(err)
	}
	log = log.With(RunKey, "0123")
	for want, say := range map[string]func(){
		"complete: windows 2,711, seconds 1.57\n": func() {
			log.Info("complete", "windows", 2711, "windows_reused", 0, "seconds", "1.57")
		},
		"warning: worker lost: worker w-1, silent 10.5s\n": func() {
			log.Warn("worker lost", WorkerKey, "w-1", "silent", 10500*time.Millisecond, "address", "")
		},
		"error: it failed: error a b, windows left -1,234\n": func() {
			log.Error("it failed", ErrorKey, errors.New("a\x1bb"), "windows_left", -1234)
		},
		"serving\n": func() { log.Info("serving", "bytes", uint64(0)) },
	} {
		b.Reset()
		say()
		line := b.String()
		if _, err := time.Parse(time.TimeOnly, line[:8]); err != nil || line[8:10] != "  " || line[10:] != want {
			t.Errorf("%q, want %q after the time of day", line, want)
		}
	}
	b.Reset()
	if log.Debug("nothing"); b.Len() > 0 {
		t.Errorf("below its level: %q", b.String())
	}
}
