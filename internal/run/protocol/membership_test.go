package protocol

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/puzzle/uint128"
)

// message is implemented by all of the desk's messages.
type message interface{ Encode() ([]byte, error) }

// codec is a message and its decoder.
type codec struct {
	sample message
	decode func([]byte) (message, error)
}

func decoder[T any, P interface {
	*T
	message
}](decode func([]byte) (T, error)) func([]byte) (message, error) {
	return func(b []byte) (message, error) {
		m, err := decode(b)
		return P(&m), err
	}
}

func codecs() map[string]codec {
	w := sampleTask().Windows[0].Window
	lw := LocatedWindow{
		Record:  kv.Record{Run: "0123456789ab", Window: w, Rows: 2, Blocks: 1, Bytes: 9},
		Holders: []Peer{{"a", "10.0.0.1:7000", 250}, {"b", "[::1]:80", 0}, {"c", "", 4000}}, Loss: 1,
	}
	copied := sampleTask()
	copied.To, copied.Epoch = "a", 3
	copied.Windows[0].Copy = &lw
	copied.Windows[1].Audit = true
	return map[string]codec{
		"task": {&copied, decoder(DecodeTask)},
		"join": {&Join{
			Run:         "0123456789ab",
			Worker:      "a",
			Incarnation: "X1",
			Concurrency: 2,
			Address:     "host-1.example:7000",
			Page:        1,
			More:        true,
			Disk:        &Disk{ID: "d1", Free: 1 << 40, Size: 1 << 41},
			Held:        []Held{{Window: w, Digest: blocks.Digest{1}}},
			Epoch:       9,
		}, decoder(DecodeJoin)},
		"response": {
			&JoinResponse{Error: "no", Stop: true, Epoch: 3, BeatMillis: 250, Drop: []puzzle.WindowID{w.ID()}},
			decoder(DecodeJoinResponse),
		},
		"heartbeat": {&Heartbeat{
			Run: "0123456789ab", Worker: "a", Incarnation: "X1", Epoch: MaxEpoch, Busy: 2, Moved: 5,
			Leaving: true, Draining: true, Disk: &Disk{ID: "d1", Free: 7, Size: 9, Fetched: 1},
			Doing: []Doing{{Window: w.ID(), Millis: 1500}, {Window: lw.Record.ID(), Copy: true}},
		}, decoder(DecodeHeartbeat)},
		"heartbeat response": {
			&HeartbeatResponse{Error: "no", Stop: true, Rejoin: true, Epoch: 4, QueueDown: "why", ToCopy: 3, Alone: true},
			decoder(DecodeHeartbeatResponse),
		},
		"drop":   {&Drop{Run: "0123456789ab", Epoch: 2, Windows: []puzzle.WindowID{w.ID()}}, decoder(DecodeDrop)},
		"unread": {&Drop{Run: "0123456789ab", Windows: []puzzle.WindowID{w.ID()}, Unread: true}, decoder(DecodeDrop)},
		"announcement": {&Announcement{
			Run: "0123456789ab", Epoch: 2, Instance: "I", Config: "puzzle: peg\n", Over: true, Error: "e",
		}, decoder(DecodeAnnouncement)},
		"where": {&LocateRequest{Run: "0123456789ab", Reader: w.Cell, From: 7}, decoder(DecodeLocateRequest)},
		"where page": {&LocateResponse{Error: "no", More: true, Parents: []Located{{
			Cell: w.Cell, Tally: puzzle.Tally{Sums: []puzzle.Scalar{{Name: "n", Value: uint128.From(3)}}},
			Windows: []LocatedWindow{lw},
		}}}, decoder(DecodeLocateResponse)},
	}
}

func TestMembershipRoundTrip(t *testing.T) {
	for what, c := range codecs() {
		b, err := c.sample.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.decode(b)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		again, err := got.Encode()
		if err != nil || !bytes.Equal(again, b) {
			t.Errorf("%s: %s, %v, want %s", what, again, err, b)
		}
		for what2, text := range map[string][]byte{
			"nothing": nil,
			"more":    append(bytes.Clone(b), "{}"...),
			"cut":     b[:len(b)-1],
			"huge":    append(bytes.Clone(b), bytes.Repeat([]byte(" "), MaxLocateResponseBytes)...),
		} {
			if _, err := c.decode(text); !errors.Is(err, ErrMessage) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s, %s: %v", what, what2, err)
			}
		}
	}
}

func TestMembershipRefused(t *testing.T) {
	w := sampleTask().Windows[0].Window
	bad := w
	bad.Key = "../x"
	lw := func(change func(*LocatedWindow)) *LocateResponse {
		p := codecs()["where page"].sample.(*LocateResponse)
		change(&p.Parents[0].Windows[0])
		return p
	}
	beat := func(doing ...Doing) *Heartbeat {
		return &Heartbeat{Run: "r", Worker: "w", Incarnation: "i", Doing: doing}
	}
	join := func(change func(*Join)) *Join {
		j := *codecs()["join"].sample.(*Join)
		change(&j)
		return &j
	}
	for what, c := range map[string]struct {
		m      message
		decode func([]byte) (message, error)
	}{
		"run":           {join(func(j *Join) { j.Run = "a.*" + ">" }), decoder(DecodeJoin)},
		"worker":        {join(func(j *Join) { j.Worker = "" }), decoder(DecodeJoin)},
		"incarnation":   {join(func(j *Join) { j.Incarnation = "" }), decoder(DecodeJoin)},
		"slots":         {join(func(j *Join) { j.Concurrency = -1 }), decoder(DecodeJoin)},
		"page":          {join(func(j *Join) { j.Page = -1 }), decoder(DecodeJoin)},
		"many":          {join(func(j *Join) { j.Held = make([]Held, MaxHeldPage+1) }), decoder(DecodeJoin)},
		"held":          {join(func(j *Join) { j.Held = []Held{{Window: bad}} }), decoder(DecodeJoin)},
		"no port":       {join(func(j *Join) { j.Address = "host" }), decoder(DecodeJoin)},
		"no host":       {join(func(j *Join) { j.Address = ":80" }), decoder(DecodeJoin)},
		"port 0":        {join(func(j *Join) { j.Address = "host:0" }), decoder(DecodeJoin)},
		"port too high": {join(func(j *Join) { j.Address = "host:65536" }), decoder(DecodeJoin)},
		"path":          {join(func(j *Join) { j.Address = "host/x:80" }), decoder(DecodeJoin)},
		"user":          {join(func(j *Join) { j.Address = "u@host:80" }), decoder(DecodeJoin)},
		"long host":     {join(func(j *Join) { j.Address = strings.Repeat("a", 300) + ":80" }), decoder(DecodeJoin)},
		"disk":          {join(func(j *Join) { j.Disk = &Disk{} }), decoder(DecodeJoin)},
		"disk's name": {
			&Heartbeat{Run: "r", Worker: "w", Incarnation: "i", Disk: &Disk{ID: "a b"}},
			decoder(DecodeHeartbeat)},
		"drop":        {&Drop{Run: "r", Windows: []puzzle.WindowID{bad.ID()}}, decoder(DecodeDrop)},
		"drops":       {&Drop{Run: "r", Windows: make([]puzzle.WindowID, MaxDropPage+1)}, decoder(DecodeDrop)},
		"dropped run": {&Drop{Run: ""}, decoder(DecodeDrop)},
		"response":    {&JoinResponse{Drop: []puzzle.WindowID{bad.ID()}}, decoder(DecodeJoinResponse)},
		"beats":       {&JoinResponse{BeatMillis: 2001}, decoder(DecodeJoinResponse)},
		"beats back":  {&JoinResponse{BeatMillis: -1}, decoder(DecodeJoinResponse)},
		"busy":        {&Heartbeat{Run: "r", Worker: "w", Incarnation: "i", Busy: -1}, decoder(DecodeHeartbeat)},
		"to copy":     {&HeartbeatResponse{ToCopy: -1}, decoder(DecodeHeartbeatResponse)},
		"doing":       {beat(Doing{Window: bad.ID()}), decoder(DecodeHeartbeat)},
		"doing much":  {beat(make([]Doing, MaxDoing+1)...), decoder(DecodeHeartbeat)},
		"begun later": {beat(Doing{Window: w.ID(), Millis: -1}), decoder(DecodeHeartbeat)},
		"begun ever":  {beat(Doing{Window: w.ID(), Millis: 1 << 62}), decoder(DecodeHeartbeat)},
		"instance":    {&Announcement{Run: "r"}, decoder(DecodeAnnouncement)},
		"reader":      {&LocateRequest{Run: "r", Reader: bad.Cell}, decoder(DecodeLocateRequest)},
		"from":        {&LocateRequest{Run: "r", Reader: w.Cell, From: -1}, decoder(DecodeLocateRequest)},
		"holder":      {lw(func(l *LocatedWindow) { l.Holders[0].Name = "a b" }), decoder(DecodeLocateResponse)},
		"address":     {lw(func(l *LocatedWindow) { l.Holders[0].Address = "x" }), decoder(DecodeLocateResponse)},
		"rows":        {lw(func(l *LocatedWindow) { l.Record.Rows = 1 << 40 }), decoder(DecodeLocateResponse)},
		"cell":        {lw(func(l *LocatedWindow) { l.Record.Key = "other" }), decoder(DecodeLocateResponse)},
		"losses":      {lw(func(l *LocatedWindow) { l.Loss = -1 }), decoder(DecodeLocateResponse)},
		"holders": {
			lw(func(l *LocatedWindow) { l.Holders = make([]Peer, kv.MaxHolders+1) }),
			decoder(DecodeLocateResponse)},
		"no windows": {&LocateResponse{Parents: []Located{{Cell: w.Cell}}}, decoder(DecodeLocateResponse)},
	} {
		b, err := c.m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.decode(b); !errors.Is(err, ErrMessage) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestLargestJoin sees that a page of the longest windows is within the limit, and so is its answer.
func TestLargestJoin(t *testing.T) {
	j := Join{
		Run: strings.Repeat("f", maxRunLen), Worker: strings.Repeat("w", maxNameLen), Page: 1 << 31, More: true,
		Incarnation: strings.Repeat("i", maxNameLen), Concurrency: MaxConcurrency,
		Address: strings.Repeat("a", maxAddressLen-6) + ":65535", Disk: largestDisk(),
	}
	response := JoinResponse{Error: strings.Repeat("e", maxErrorLen)}
	for i := range MaxHeldPage {
		w := puzzle.Window{
			Cell: puzzle.Cell{Layer: 1<<31 - 1, Key: strings.Repeat("k", 63)}, Part: 1<<31 - 1 - i,
			First: 1<<64 - 1<<62 - 1, Addresses: 1 << 62,
		}
		j.Held = append(j.Held, Held{Window: w})
		response.Drop = append(response.Drop, w.ID())
	}
	b, err := j.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeJoin(b); err != nil {
		t.Fatal(err)
	}
	if b, err = response.Encode(); err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeJoinResponse(b); err != nil {
		t.Fatal(err)
	}
}

func largestDisk() *Disk {
	return &Disk{ID: strings.Repeat("d", maxNameLen), Free: 1<<64 - 1, Size: 1<<64 - 1, Fetched: 1<<64 - 1}
}

// TestLargestHeartbeat sees that a heartbeat with the longest windows is within the limit.
func TestLargestHeartbeat(t *testing.T) {
	b := Heartbeat{
		Run: strings.Repeat("f", maxRunLen), Worker: strings.Repeat("w", maxNameLen),
		Incarnation: strings.Repeat("i", maxNameLen), Epoch: MaxEpoch, Busy: MaxConcurrency, Moved: 1<<64 - 1, Leaving: true,
		Disk: largestDisk(),
	}
	for i := range MaxDoing {
		cell := puzzle.Cell{Layer: 1<<31 - 1, Key: strings.Repeat("k", 63)}
		b.Doing = append(b.Doing,
			Doing{Window: puzzle.WindowID{Cell: cell, Part: 1<<31 - 1 - i}, Copy: true, Millis: maxMillis})
	}
	text, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeHeartbeat(text); err != nil {
		t.Fatal(err)
	}
}

// TestOlderHeartbeat reads a heartbeat of a worker that does not name its windows and says nothing of its disk.
func TestOlderHeartbeat(t *testing.T) {
	b, err := DecodeHeartbeat([]byte(`{"run":"r","worker":"w","incarnation":"i","epoch":1,"busy":1,"moved":7}`))
	if err != nil || b.Busy != 1 || b.Doing != nil || b.Disk != nil {
		t.Fatalf("%+v, %v", b, err)
	}
}

// TestPages cuts the parents of a cell into pages and puts them together again.
func TestPages(t *testing.T) {
	var all []Located
	for i, n := range []int{3, 2500, 1, 4000} {
		c := puzzle.Cell{Layer: 1, Key: fmt.Sprintf("c%d", i)}
		l := Located{Cell: c, Tally: puzzle.Tally{Sums: []puzzle.Scalar{{Name: "n", Value: uint128.From(uint64(n))}}}}
		for k := range n {
			l.Windows = append(l.Windows, LocatedWindow{
				Record:  kv.Record{Run: "r", Window: puzzle.Window{Cell: c, Part: k, First: uint64(10 * k), Addresses: 10}},
				Holders: []Peer{{"a", "10.0.0.1:7000", 0}},
			})
		}
		all = append(all, l)
	}
	pages := 0
	got, err := LocatePages(
		t.Context(),
		"r",
		puzzle.Cell{},
		func(_ context.Context, w LocateRequest) (LocateResponse, error) {
			p, err := Page(all, w.From)
			if err != nil {
				return p, err
			}
			b, err := p.Encode()
			if err != nil || len(b) > 512<<10 {
				t.Fatalf("a page of %d bytes, %v", len(b), err)
			}
			pages++
			return DecodeLocateResponse(b)
		},
	)
	if err != nil || pages < 3 {
		t.Fatalf("%d pages, %v", pages, err)
	}
	if fmt.Sprint(got) != fmt.Sprint(all) {
		t.Fatal("the pages make something else")
	}
}

func FuzzDecodeMembership(f *testing.F) {
	kinds := codecs()
	for what, c := range kinds {
		b, err := c.sample.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(what, b)
	}
	f.Fuzz(func(t *testing.T, what string, b []byte) {
		if c, ok := kinds[what]; ok {
			decodesAgain(t, b, c.decode, len(b))
		}
	})
}

// decodesAgain demands that a decoded message can be encoded, and decoded again if it then has at most so many bytes.
func decodesAgain(t *testing.T, b []byte, decode func([]byte) (message, error), most int) {
	t.Helper()
	m, err := decode(b)
	if err != nil {
		// A join of another version is refused as that, whatever else is wrong with it.
		if !errors.Is(err, ErrMessage) && !errors.Is(err, ErrVersion) {
			t.Fatalf("error of another kind: %v", err)
		}
		return
	}
	again, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decode(again); err != nil && len(again) <= most {
		t.Fatalf("%s does not decode again: %v", again, err)
	}
}
