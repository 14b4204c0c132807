package puzzle

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func FuzzParseWindowID(f *testing.F) {
	for _, s := range []string{
		"7/12.8.8.4/0", "0/a/1", "-1/a/0", "07/a/0", "7/A/0", "7//0", "7/a/0/", "7/a", "9999999999/a/0",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := ParseWindowID(s)
		if err != nil {
			return
		}
		if id.String() != s || !ValidKey(id.Key) || id.Layer < 0 || id.Part < 0 {
			t.Errorf("%q is read as %+v, which is written %q", s, id, id)
		}
	})
}

func TestValidKey(t *testing.T) {
	long := strings.Repeat("a", 63)
	for key, want := range map[string]bool{
		"12.8.8.4": true, "from0-1.2.3.4": true, long: true, long + "a": false,
		"": false, ".": false, "../x": false, "a/b": false, "A": false, "a b": false, "a\n": false,
	} {
		if ValidKey(key) != want {
			t.Errorf("ValidKey(%q) = %v", key, !want)
		}
	}
}

// TestValidKeyForm compares with the regular expression of the form.
func TestValidKeyForm(t *testing.T) {
	form := regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,62}$`)
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.OneOf(
			rapid.String(), rapid.StringMatching(`[a-z0-9._-]{0,64}`), rapid.StringMatching(`[a-zA-Z0-9._/ -]{0,5}`),
		).Draw(t, "key")
		if ValidKey(key) != form.MatchString(key) {
			t.Fatalf("ValidKey(%q) = %v", key, ValidKey(key))
		}
	})
}

func TestWindowsOfACell(t *testing.T) {
	p := CellPlan{Cell: Cell{3, "a"}, Addresses: 10, Cuts: []uint64{0, 4, 7}}
	var next uint64
	for i := range p.Windows() {
		w := p.Window(i)
		if w.First != next || w.Addresses == 0 || w.Part != i || w.Cell != p.Cell {
			t.Errorf("window %d: %+v", i, w)
		}
		next += w.Addresses
	}
	if next != p.Addresses {
		t.Errorf("windows end at %d of %d", next, p.Addresses)
	}
}

func TestMissingError(t *testing.T) {
	cause := errors.New("checksum differs")
	id := WindowID{Cell{7, "a"}, 2}
	for _, err := range []error{&MissingError{Window: id}, &MissingError{Window: id, Cause: cause}} {
		if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "7/a/2") {
			t.Errorf("%v", err)
		}
	}
	if !errors.Is(&MissingError{Window: id, Cause: cause}, cause) {
		t.Error("the cause is lost")
	}
}
