package protocol

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pagoda/internal/kv/form"
)

// full returns a task and a report in which every field has a value, but for failures.
func full() (Task, Report) {
	t, r := sampleTask(), sampleReport()
	t.Epoch, t.To = 3, "w-1"
	l := &t.Parents[0].Windows[0]
	l.Loss, l.Holders[0].Patience = 2, 4000
	l.Record.Rows, l.Record.Blocks, l.Record.Bytes = 1, 1, 2
	l.Record.Digest[3] = 0xab
	t.Parents[0].Tally = r.Done[0].Record.Tally
	w := &t.Windows[1]
	w.Fresh, w.Audit, w.Attempt, w.Copy = true, true, "1.2.aZ_-", &LocatedWindow{Record: l.Record, Holders: l.Holders}
	w.Copy.Record.Window = w.Window
	r.Epoch, r.Incarnation, r.Number, r.WaitMillis, r.Failures = 3, "i", 9, 800, nil
	r.Done[0].Audit, r.Done[0].Attempt = true, w.Attempt
	r.Done = append(r.Done, Done{Record: l.Record})
	return t, r
}

// TestTexts: tasks and reports have the text of encoding/json, and are read as it reads them, without it. Escapes,
// spaces and failures need it.
func TestTexts(t *testing.T) {
	task, report := full()
	check := func(v, again any, b []byte, err error, text func(*form.Form)) {
		t.Helper()
		want, jerr := json.Marshal(v)
		if err != nil || jerr != nil || !bytes.Equal(b, want) {
			t.Errorf("%s, %v; as JSON %s, %v", b, err, want, jerr)
		}
		if err := form.Read(b, text); err != nil || !reflect.DeepEqual(again, v) {
			t.Errorf("%s is read as %+v, %v", b, again, err)
		}
	}
	var t2 Task
	b, err := task.Encode()
	check(&task, &t2, b, err, t2.form)
	spaced := bytes.Replace(b, []byte(`,"id"`), []byte(` , "id"`), 1)
	if got, err := DecodeTask(spaced); err != nil || !reflect.DeepEqual(got, task) {
		t.Errorf("with spaces: %+v, %v", got, err)
	}
	var r2 Report
	b, err = report.Encode()
	check(&report, &r2, b, err, r2.form)
	report.Done[0].Attempt = `<"\é`
	report.Failures = sampleReport().Failures
	for range 2 {
		b, err = report.Encode()
		if want, _ := json.Marshal(&report); err != nil || !bytes.Equal(b, want) {
			t.Errorf("%s, %v; as JSON %s", b, err, want)
		}
		if got, err := DecodeReport(b); err != nil || !reflect.DeepEqual(got, report) {
			t.Errorf("%+v, %v, want %+v", got, err, report)
		}
		report.Failures = nil
	}
	if _, err := DecodeReport([]byte(strings.Repeat(" ", MaxReportBytes+1))); err == nil {
		t.Error("a giant is read")
	}
}
