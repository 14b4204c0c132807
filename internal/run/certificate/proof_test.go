package certificate_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/certificate"
)

func sum(b []byte) []byte {
	h := sha256.Sum256(b)
	return h[:]
}

// Every window of every run has a proof, it is read as it is written, and it has the root of the run.
func TestProofs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		windows := drawWindows(t)
		if len(windows) == 0 {
			return
		}
		root := build(t, someRun, windows).Root
		w := rapid.SampledFrom(windows).Draw(t, "window")
		p := prove(t, windows, w.ID())
		if p.Root != root || !reflect.DeepEqual(p.Window, w) {
			t.Fatalf("root %s, want %s; window %+v, want %+v", p.Root, root, p.Window, w)
		}
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		text, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		q, err := certificate.DecodeProof(text)
		if err != nil || q.Root != p.Root {
			t.Fatalf("%s: %v", text, err)
		}
	})
}

func prove(t interface{ Fatal(...any) }, windows []certificate.Window, id puzzle.WindowID) *certificate.Proof {
	b := certificate.NewBuilder(someRun)
	b.Prove(id)
	for _, w := range windows {
		if err := b.Add(w); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Finish(); err != nil {
		t.Fatal(err)
	}
	p, err := b.Proof()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestNoProof(t *testing.T) {
	w := window(1, "a", 0)
	for _, id := range []puzzle.WindowID{
		{Cell: puzzle.Cell{Layer: 1, Key: "a"}, Part: 1}, {Cell: puzzle.Cell{Layer: 1, Key: "b"}},
		{Cell: puzzle.Cell{Layer: 2, Key: "a"}},
	} {
		b := certificate.NewBuilder(someRun)
		b.Prove(id)
		if err := b.Add(w); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Finish(); err != nil {
			t.Fatal(err)
		}
		if p, err := b.Proof(); err == nil {
			t.Errorf("a proof of %s: %+v", id, p)
		}
	}
}

func goldenProof(t testing.TB) (*certificate.Proof, []byte) {
	t.Helper()
	data, err := os.ReadFile("testdata/window.json")
	if err != nil {
		t.Fatal(err)
	}
	p, err := certificate.DecodeProof(data)
	if err != nil {
		t.Fatal(err)
	}
	return p, data
}

// The golden proof is of the golden certificate, and no field of it can be changed.
func TestEveryFieldOfAProofChanged(t *testing.T) {
	p, data := goldenProof(t)
	if again, err := p.Encode(); err != nil || !bytes.Equal(again, data) {
		t.Errorf("it is written otherwise now: %s, %v", again, err)
	}
	if c, _ := golden(t); p.Root != c.Root || p.Run != c.Run || p.Windows != c.Windows {
		t.Errorf("%+v is not of the golden certificate", p)
	}
	seen := 0
	changes(reflect.ValueOf(p).Elem(), "", func(place string) {
		seen++
		text, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := certificate.DecodeProof(text); !errors.Is(err, certificate.ErrForm) {
			t.Errorf("%s can be changed: %v", place, err)
		}
	})
	if seen < 80 {
		t.Errorf("%d changes", seen)
	}
	if err := p.Check(); err != nil {
		t.Errorf("a change was not taken back: %v", err)
	}
}

// TestProofNames: a proof of a run or of a cell without a proper name is refused, whatever its hashes are.
func TestProofNames(t *testing.T) {
	for what, change := range map[string]func(p *certificate.Proof){
		"the run":  func(p *certificate.Proof) { p.Run = "x" },
		"the cell": func(p *certificate.Proof) { p.Window.Key = "a/b" },
		"the part": func(p *certificate.Proof) { p.Window.Part++ },
	} {
		p, _ := goldenProof(t)
		change(p)
		if err := p.Check(); !errors.Is(err, certificate.ErrForm) || !strings.Contains(err.Error(), "run ") {
			t.Errorf("%s has another name: %v", what, err)
		}
	}
}

func TestDecodeProofRefuses(t *testing.T) {
	_, data := goldenProof(t)
	for name, change := range map[string][2]string{
		"another form":    {`"pagoda window"`, `"pagoda run"`},
		"unknown field":   {`"windows"`, `"extra": 1, "windows"`},
		"another run":     {`"run": "a`, `"run": "b`},
		"a path with one": {`"path": [`, `"path": ["` + strings.Repeat("0", 64) + `",`},
	} {
		bad := strings.Replace(string(data), change[0], change[1], 1)
		if bad == string(data) {
			t.Fatalf("%s changes nothing", name)
		}
		if _, err := certificate.DecodeProof([]byte(bad)); !errors.Is(err, certificate.ErrForm) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzDecodeProof(f *testing.F) {
	_, data := goldenProof(f)
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := certificate.DecodeProof(data)
		if err != nil {
			if !errors.Is(err, certificate.ErrForm) {
				t.Fatal(err)
			}
			return
		}
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
	})
}
