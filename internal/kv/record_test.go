package kv

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks/blockstest"
	"pagoda/internal/puzzle/uint128"
)

func drawRecord(t *rapid.T) Record {
	w := blockstest.DrawWindow(t)
	r := Record{Run: rapid.StringMatching(`[0-9a-f]{1,32}`).Draw(t, "run"), Window: w}
	r.Rows = rapid.Uint64Range(0, w.Addresses).Draw(t, "rows")
	if r.Rows > 0 {
		most := min(r.Rows, (w.Addresses-1)/puzzle.BlockAddresses+1)
		r.Blocks = rapid.Uint64Range((r.Rows-1)/puzzle.BlockAddresses+1, most).Draw(t, "blocks")
		r.Bytes = rapid.Uint64Range(1, r.Blocks*1000).Draw(t, "bytes")
	}
	copy(r.Digest[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "digest"))
	for range rapid.IntRange(0, 4).Draw(t, "scalars") {
		name := rapid.StringMatching(`[a-z_.0-9]{1,8}`).Draw(t, "name")
		v := uint128.Uint128{Lo: rapid.Uint64().Draw(t, "lo"), Hi: rapid.Uint64Range(0, 1<<62).Draw(t, "hi")}
		layer, key := rapid.IntRange(0, 40).Draw(t, "layer"), rapid.StringMatching(`[a-z][a-z.]{0,3}`).Draw(t, "key")
		c := puzzle.Cell{Layer: layer, Key: key}
		if errors.Join(r.Tally.AddSum(name, v), r.Tally.AddMax(name, v), r.Tally.AddIn(c, v), r.Tally.AddOut(c, v)) != nil {
			t.Fatal("overflow")
		}
	}
	return r
}

func TestRecordRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecord(t)
		b, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if text, err := json.Marshal(&r); err != nil || !bytes.Equal(text, b) {
			t.Fatalf("%s, as JSON %s, %v", b, text, err)
		}
		got, err := DecodeRecord(b)
		if err != nil || !got.Same(&r) {
			t.Fatalf("%+v, %v; want %+v", got, err, r)
		}
		got.Bytes++
		if got.Same(&r) || !got.SameContent(&r) {
			t.Fatal("another size is the same, or other content")
		}
		got.Digest[3] ^= 1
		if got.SameContent(&r) {
			t.Fatal("another digest is the same content")
		}
	})
}

const goodRecord = `{"run":"ab","layer":2,"cell":"1.2","part":0,"first":0,"addresses":10,` +
	`"rows":3,"blocks":1,"bytes":40,` +
	`"digest":"00000000000000000000000000000000000000000000000000000000000000ff",` +
	`"tally":{"sums":[{"name":"a","value":"1"},{"name":"b","value":"18446744073709551616"}],` +
	`"out":[{"layer":3,"cell":"x","amount":"7"}]}}`

func TestDecodeRecordRefuses(t *testing.T) {
	if _, err := DecodeRecord([]byte(goodRecord)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"unknown field":            {`"rows"`, `"extra":1,"rows"`},
		"missing field":            {`"bytes":40,`, ``},
		"doubled field":            {`"bytes":40`, `"bytes":40,"bytes":40`},
		"other case":               {`"rows"`, `"Rows"`},
		"space":                    {`"rows":3`, `"rows": 3`},
		"exponent":                 {`"addresses":10`, `"addresses":1e1`},
		"count as a number":        {`"value":"1"`, `"value":1`},
		"count with zeros":         {`"value":"1"`, `"value":"01"`},
		"count of 129 bits":        {`"18446744073709551616"`, `"340282366920938463463374607431768211456"`},
		"negative part":            {`"part":0`, `"part":-1`},
		"negative layer":           {`"layer":2`, `"layer":-2`},
		"cell that climbs":         {`"cell":"1.2"`, `"cell":"../2"`},
		"cell in capitals":         {`"cell":"x"`, `"cell":"X"`},
		"no addresses":             {`"addresses":10`, `"addresses":0`},
		"address overflow":         {`"first":0`, `"first":18446744073709551615`},
		"more rows than addresses": {`"rows":3`, `"rows":11`},
		"rows without blocks":      {`"blocks":1`, `"blocks":0`},
		"too many blocks":          {`"blocks":1`, `"blocks":2`},
		"absurd bytes":             {`"bytes":40`, `"bytes":9000000000`},
		"short digest":             {`00ff"`, `0ff"`},
		"digest in capitals":       {`00ff"`, `00FF"`},
		"empty run":                {`"run":"ab"`, `"run":""`},
		"run with a slash":         {`"run":"ab"`, `"run":"a/b"`},
		"run that is too long":     {`"run":"ab"`, `"run":"` + strings.Repeat("a", 200) + `"`},
		"tally out of order":       {`"name":"b"`, `"name":"A"`},
		"tally with a name twice":  {`"name":"b"`, `"name":"a"`},
		"tally without a name":     {`"name":"a"`, `"name":""`},
		"escaped letter":           {`"name":"a"`, `"name":"\u0061"`},
		"trailing data":            {`"7"}]}}`, `"7"}]}} `},
	} {
		bad := strings.Replace(goodRecord, change[0], change[1], 1)
		if bad == goodRecord {
			t.Fatalf("%s changes nothing", name)
		}
		if r, err := DecodeRecord([]byte(bad)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %+v, error %v", name, r, err)
		}
	}
	if _, err := DecodeRecord(bytes.Repeat([]byte(" "), MaxRecordBytes+1)); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a giant: error %v", err)
	}
}

func FuzzDecodeRecord(f *testing.F) {
	f.Add([]byte(goodRecord))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := DecodeRecord(b)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		again, err := r.Encode()
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%q encodes to %q, %v", b, again, err)
		}
	})
}

func FuzzDecodeEntry(f *testing.F) {
	f.Add([]byte(`{"record":` + goodRecord + `,"holders":["w1","w2"]}`))
	f.Add([]byte(`{"record":` + goodRecord + `}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := DecodeEntry(b)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		again, err := e.Encode()
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%q encodes to %q, %v", b, again, err)
		}
	})
}

// TestEntryRoundTrip compares the text of entries with that of encoding/json.
func TestEntryRoundTrip(t *testing.T) {
	names := rapid.SliceOfNDistinct(rapid.StringMatching(`[!#-%'-.0-;=?-Z^-~]{1,9}`), 0, 3, rapid.ID)
	rapid.Check(t, func(t *rapid.T) {
		e := Entry{drawRecord(t), sortedNames(names.Draw(t, "holders")...), sortedNames(names.Draw(t, "by")...)}
		text, err1 := json.Marshal(&e)
		b, err2 := e.Encode()
		if err1 != nil || err2 != nil || !bytes.Equal(text, b) {
			t.Fatalf("%s, %v; as JSON %s, %v", b, err2, text, err1)
		}
		got, err := DecodeEntry(b)
		if err != nil || !got.Record.Same(&e.Record) || !slices.Equal(got.Holders, e.Holders) || !slices.Equal(got.By, e.By) {
			t.Fatalf("%+v, %v; want %+v", got, err, e)
		}
	})
}

// TestSameContent changes every field of a record.
func TestSameContent(t *testing.T) {
	for name, change := range map[string]func(*Record){
		"run": func(r *Record) { r.Run += "b" }, "layer": func(r *Record) { r.Layer++ },
		"cell": func(r *Record) { r.Key += "1" }, "part": func(r *Record) { r.Part++ },
		"first": func(r *Record) { r.First++ }, "addresses": func(r *Record) { r.Addresses++ },
		"rows": func(r *Record) { r.Rows-- }, "blocks": func(r *Record) { r.Blocks++ },
		"sum": func(r *Record) { r.Tally.Sums[1].Value.Lo++ }, "sums": func(r *Record) { r.Tally.Sums = nil },
		"maxima": func(r *Record) { r.Tally.Maxima = r.Tally.Sums }, "in": func(r *Record) { r.Tally.In = r.Tally.Out },
		"out": func(r *Record) { r.Tally.Out[0].Key = "y" },
	} {
		a, err1 := DecodeRecord([]byte(goodRecord))
		b, err2 := DecodeRecord([]byte(goodRecord))
		if err1 != nil || err2 != nil || !a.SameContent(&b) {
			t.Fatal(err1, err2)
		}
		if change(&b); a.SameContent(&b) || b.SameContent(&a) {
			t.Errorf("another %s is the same content", name)
		}
	}
}

// TestAfter: after returns the first key behind all keys with a prefix. The last byte of a prefix may have no
// successor, as that of layer 255.
func TestAfter(t *testing.T) {
	for prefix, want := range map[string]string{"a": "b", "a\xff": "b", "a\x00\xff\xff": "a\x01", "\xfe\xff": "\xff"} {
		if got := string(after([]byte(prefix))); got != want {
			t.Errorf("after %q comes %q, want %q", prefix, got, want)
		}
	}
	if got := after([]byte{0xff}); got != nil {
		t.Errorf("after all keys comes %q", got)
	}
}

func TestKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := blockstest.DrawWindow(t).ID(), blockstest.DrawWindow(t).ID()
		order := 0
		switch {
		case a.Layer != b.Layer:
			order = 2*min(1, max(0, a.Layer-b.Layer)) - 1
		case a.Key != b.Key:
			order = strings.Compare(a.Key, b.Key)
		case a.Part != b.Part:
			order = 2*min(1, max(0, a.Part-b.Part)) - 1
		}
		if got := bytes.Compare(recordKey(a), recordKey(b)); got != order {
			t.Fatalf("order of %v and %v is %d, want %d", a, b, got, order)
		}
		id, rest, err := cutWindow(append(recordKey(a)[1:], "rest"...))
		if err != nil || id != a || string(rest) != "rest" {
			t.Fatalf("%v, %q, %v; want %v", id, rest, err, a)
		}
	})
}
