package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestLaterFields: a message with a field that this program does not know is the message without it; in a file, the
// field is an error.
func TestLaterFields(t *testing.T) {
	task, report, join := sampleTask(), sampleReport(), Join{Version: Version, Run: "r", Worker: "w", Incarnation: "i"}
	for what, c := range map[string]struct {
		encode func() ([]byte, error)
		again  func(b []byte) ([]byte, error)
	}{
		"task": {task.Encode, func(b []byte) ([]byte, error) {
			m, err := DecodeTask(b)
			return encoded(m.Encode, err)
		}},
		"report": {report.Encode, func(b []byte) ([]byte, error) {
			m, err := DecodeReport(b)
			return encoded(m.Encode, err)
		}},
		"join": {join.Encode, func(b []byte) ([]byte, error) {
			m, err := DecodeJoin(b)
			return encoded(m.Encode, err)
		}},
		"reply": {(&Reply{Stop: true}).Encode, func(b []byte) ([]byte, error) {
			m, err := DecodeReply(b)
			return encoded(m.Encode, err)
		}},
	} {
		b, err := c.encode()
		if err != nil {
			t.Fatal(err)
		}
		later := bytes.Replace(b, []byte(`{`), []byte(`{"later":{"a":[1]},`), 1)
		if got, err := c.again(later); err != nil || !bytes.Equal(got, b) {
			t.Errorf("%s: %s, %v, want %s", what, got, err, b)
		}
	}
	var into struct{ A int }
	if err := DecodeStrict([]byte(`{"A": 1, "later": 2}`), &into, 100); !errors.Is(err, ErrMessage) {
		t.Errorf("a file with an unknown field: %v", err)
	}
}

func encoded(encode func() ([]byte, error), err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return encode()
}

// TestOtherVersion: a join of another version says so, also when the rest of it cannot be read.
func TestOtherVersion(t *testing.T) {
	b := []byte(`{"version": 7, "run": "r", "worker": "w", "incarnation": "i", "held": "elsewhere"}`)
	_, err := DecodeJoin(b)
	if !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), `worker "w" speaks version 7`) {
		t.Errorf("unreadable: %v", err)
	}
	b, err = json.Marshal(Join{Version: Version + 1, Run: "r", Worker: "w", Incarnation: "i"})
	if err != nil {
		t.Fatal(err)
	}
	j, err := DecodeJoin(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckVersion(j.Worker, j.Version); !errors.Is(err, ErrVersion) {
		t.Errorf("readable: %v", err)
	}
	if err := CheckVersion("w", Version); err != nil {
		t.Error(err)
	}
	// One of no version at all, and one that is damaged.
	if _, err := DecodeJoin([]byte(`{"held": 1}`)); !errors.Is(err, ErrVersion) {
		t.Errorf("without a version: %v", err)
	}
	if _, err := DecodeJoin(fmt.Appendf(nil, `{"version": %d, "held": 1}`, Version)); !errors.Is(err, ErrMessage) {
		t.Errorf("damaged: %v", err)
	}
}

// TestVersions: a worker finds out whether it can work for a coordinator, of an earlier program when it joins.
func TestVersions(t *testing.T) {
	for _, test := range []struct {
		messages, format int
		want             string
	}{
		{0, 0, ""}, {Version, 1, ""}, {Version + 1, 1, "the coordinator speaks version 3, the worker version 2"},
		{Version, 2, "the coordinator writes data format 2, the worker format 1"},
	} {
		v := Versions{Program: "v9", Messages: test.messages, Format: test.format}
		err := v.Check(1)
		right := err == nil && test.want == ""
		if err != nil && test.want != "" {
			right = errors.Is(err, ErrVersion) && strings.Contains(err.Error(), test.want)
		}
		if !right {
			t.Errorf("%+v: %v, want %s", v, err, test.want)
		}
	}
	a := Announcement{Run: "r", Instance: "i", Versions: Versions{Program: "v9", Messages: 3, Format: 1}}
	b, err := a.Encode()
	if err != nil || !strings.Contains(string(b), `"program":"v9","messages":3,"format":1`) {
		t.Errorf("%s, %v", b, err)
	}
	for _, text := range []string{"two\nlines", strings.Repeat("x", maxProgramLen+1)} {
		a.Program = text
		if b, err = a.Encode(); err != nil {
			t.Fatal(err)
		}
		if _, err := DecodeAnnouncement(b); !errors.Is(err, ErrMessage) {
			t.Errorf("program %.10q: %v", text, err)
		}
	}
}

// TestNoTimeOfDay: no message carries a time of day. Clocks of machines differ and jump, and no machine goes by the
// clock of another.
func TestNoTimeOfDay(t *testing.T) {
	var look func(at string, typ reflect.Type)
	look = func(at string, typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			look(at, typ.Elem())
		case reflect.Struct:
			if typ == reflect.TypeFor[time.Time]() {
				t.Errorf("%s is a time of day", at)
				return
			}
			for i := range typ.NumField() {
				look(at+"."+typ.Field(i).Name, typ.Field(i).Type)
			}
		}
	}
	for _, m := range []any{
		Task{}, Report{}, Reply{}, Join{}, JoinResponse{}, Heartbeat{}, HeartbeatResponse{}, Drop{}, Announcement{},
		LocateRequest{}, LocateResponse{},
	} {
		look(reflect.TypeOf(m).Name(), reflect.TypeOf(m))
	}
}
