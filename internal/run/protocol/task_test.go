package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

func sampleTask() Task {
	return Task{Run: "0123456789ab", ID: "0123456789ab-x-1", Windows: []TaskWindow{
		{Window: puzzle.Window{Cell: puzzle.Cell{Layer: 7, Key: "12.8.8.4"}, Part: 1, First: 10, Addresses: 5}, Fresh: true},
		{
			Window: puzzle.Window{Cell: puzzle.Cell{Layer: 7, Key: "12.8.8.4"}, Part: 2, First: 15, Addresses: 5},
			Reads:  []int{0},
		},
	}, Parents: []Located{{Cell: puzzle.Cell{Layer: 6, Key: "k"}, Windows: []LocatedWindow{{
		Record:  kv.Record{Run: "0123456789ab", Window: puzzle.Window{Cell: puzzle.Cell{Layer: 6, Key: "k"}, Addresses: 5}},
		Holders: []Peer{{Name: "a", Address: "here:1"}},
	}}}}}
}

func sampleReport() Report {
	w := sampleTask().Windows
	return Report{
		Run: "0123456789ab", Worker: "local",
		Done: []Done{{Nanos: 5, Reused: true, Record: kv.Record{
			Run: "0123456789ab", Window: w[0].Window, Rows: 3, Blocks: 1, Bytes: 9, Tally: puzzle.Tally{
				Sums: []puzzle.Scalar{{Name: "paths", Value: uint128.Uint128{Lo: 1, Hi: 2}}},
				Out:  []puzzle.Flow{{Cell: puzzle.Cell{Layer: 8, Key: "a"}, Amount: uint128.From(4)}},
			},
		}}},
		Failures: []Failure{{Window: w[1].Window, Kind: FailMissing, Text: "gone", Missing: &w[0].Window, Loss: 1}},
	}
}

func TestMessagesRoundTrip(t *testing.T) {
	task, report := sampleTask(), sampleReport()
	b, err := task.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := DecodeTask(b); err != nil || fmt.Sprint(got) != fmt.Sprint(task) {
		t.Errorf("%v, %v", got, err)
	}
	b, err = report.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeReport(b)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := got.Encode(); err != nil || !bytes.Equal(b, again) {
		t.Errorf("%s, %v", again, err)
	}
	reply := Reply{Error: "no", Stop: true}
	if b, err = reply.Encode(); err != nil {
		t.Fatal(err)
	}
	if got, err := DecodeReply(b); err != nil || got != reply {
		t.Errorf("%v, %v", got, err)
	}
}

func TestMessagesThatAreRefused(t *testing.T) {
	for what, change := range map[string]func(*Task){
		"run":            func(m *Task) { m.Run = "a/b" },
		"no run":         func(m *Task) { m.Run = "" },
		"long run":       func(m *Task) { m.Run = strings.Repeat("a", 65) },
		"no ID":          func(m *Task) { m.ID = "" },
		"long ID":        func(m *Task) { m.ID = strings.Repeat("a", 200) },
		"no windows":     func(m *Task) { m.Windows = nil },
		"many windows":   func(m *Task) { m.Windows = make([]TaskWindow, MaxTaskWindows+1) },
		"window twice":   func(m *Task) { m.Windows[1] = m.Windows[0] },
		"key":            func(m *Task) { m.Windows[0].Key = "../../etc" },
		"negative layer": func(m *Task) { m.Windows[0].Layer = -1 },
		"negative part":  func(m *Task) { m.Windows[0].Part = -1 },
		"no addresses":   func(m *Task) { m.Windows[0].Addresses = 0 },
		"wrapping range": func(m *Task) { m.Windows[0].First = 1<<64 - 2 },
		"no such parent": func(m *Task) { m.Windows[0].Reads = []int{1} },
		"minus a parent": func(m *Task) { m.Windows[0].Reads = []int{-1} },
		"empty parent":   func(m *Task) { m.Parents[0].Windows = nil },
		"parent cut":     func(m *Task) { m.Parents[0].Windows[0].Record.First = 1 },
		"another's":      func(m *Task) { m.Parents[0].Windows[0].Record.Run = "1123456789ab" },
		"holder":         func(m *Task) { m.Parents[0].Windows[0].Holders[0].Name = "../a" },
	} {
		m := sampleTask()
		change(&m)
		b, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := DecodeTask(b); !errors.Is(err, ErrMessage) || strings.Contains(err.Error(), "\n") {
			t.Errorf("task, %s: %v", what, err)
		}
	}
	for what, change := range map[string]func(*Report){
		"run":             func(m *Report) { m.Run = "" },
		"worker":          func(m *Report) { m.Worker = "a b" },
		"hidden worker":   func(m *Report) { m.Worker = ".a" },
		"another's run":   func(m *Report) { m.Done[0].Record.Run = "1123456789ab" },
		"rows":            func(m *Report) { m.Done[0].Record.Rows = 6 },
		"time":            func(m *Report) { m.Done[0].Nanos = -1 },
		"wait":            func(m *Report) { m.WaitMillis = -1 },
		"tally":           func(m *Report) { t := &m.Done[0].Record.Tally; t.Sums = append(t.Sums, t.Sums[0]) },
		"key":             func(m *Report) { m.Done[0].Record.Key = "" },
		"failure":         func(m *Report) { m.Failures[0].Kind = "tired" },
		"missing nothing": func(m *Report) { m.Failures[0].Missing = nil },
		"missing key":     func(m *Report) { m.Failures[0].Missing.Key = "?" },
		"loss":            func(m *Report) { m.Failures[0].Loss = -2 },
		"failed window":   func(m *Report) { m.Failures[0].Window.Addresses = 0 },
		"long text":       func(m *Report) { m.Failures[0].Text = strings.Repeat("a", MaxTextLen+1) },
	} {
		m := sampleReport()
		change(&m)
		b, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := DecodeReport(b); !errors.Is(err, ErrMessage) || strings.Contains(err.Error(), "\n") {
			t.Errorf("report, %s: %v", what, err)
		}
	}
	task := sampleTask()
	b, err := task.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string][]byte{
		"nothing": nil,
		"more":    append(bytes.Clone(b), "{}"...),
		"cut":     b[:len(b)-1],
		"float":   bytes.Replace(b, []byte(`"addresses":5`), []byte(`"addresses":5.5`), 1),
		"huge":    append(bytes.Clone(b), bytes.Repeat([]byte(" "), MaxTaskBytes)...),
	} {
		if _, err := DecodeTask(text); !errors.Is(err, ErrMessage) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestLargestTask sees that a task of the most and longest windows is within the limit.
func TestLargestTask(t *testing.T) {
	m := Task{Run: strings.Repeat("f", maxRunLen), ID: strings.Repeat("i", maxNameLen)}
	for i := range MaxTaskWindows {
		m.Windows = append(m.Windows, TaskWindow{Fresh: true, Window: puzzle.Window{
			Cell: puzzle.Cell{Layer: 1<<31 - 1, Key: strings.Repeat("k", 63)}, Part: 1<<31 - 1 - i,
			First: 1<<64 - 1<<62 - 1, Addresses: 1 << 62,
		}})
	}
	b, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeTask(b); err != nil {
		t.Fatal(err)
	}
}

func FuzzDecodeTask(f *testing.F) {
	m := sampleTask()
	b, err := m.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) { decodesAgain(t, b, decoder(DecodeTask), math.MaxInt) })
}

func FuzzDecodeReport(f *testing.F) {
	m := sampleReport()
	b, err := m.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) { decodesAgain(t, b, decoder(DecodeReport), MaxReportBytes) })
}
