package protocol

import (
	"strings"
	"testing"
)

func TestParty(t *testing.T) {
	const key = "abcdefgh2345"
	for _, c := range []struct{ label, key, name, party string }{
		{"w-1", "", "w-1", "w-1"},
		{"w-1", key, "w-1~" + key, "*~" + key},
		{"w.2", key, "w.2~" + key, "*~" + key},
		{"archive", "", "archive", "archive"},
	} {
		name := Named(c.label, c.key)
		if name != c.name || Fingerprint(name) != c.key || Party(name) != c.party || Party(c.party) != c.party {
			t.Errorf("%+v: %s of %s, key %q", c, name, Party(name), Fingerprint(name))
		}
		if !ValidWorker(name) || c.key != "" && ValidWorker(c.party) {
			t.Errorf("%s and %s: %t, %t", name, c.party, ValidWorker(name), ValidWorker(c.party))
		}
	}
	for _, name := range []string{
		"", "~" + key, "w~", "w~" + key[1:], "w~" + key + "a", "w~ABCDEFGH2345", "w~abcdefgh2341", "w~" + key + "~" + key,
		"-w~" + key, "*~" + key, "w*~" + key, strings.Repeat("w", 116) + "~" + key,
	} {
		if ValidWorker(name) {
			t.Errorf("%q names a worker", name)
		}
	}
	longest := strings.Repeat("w", 115)
	if !ValidWorker(Named(longest, key)) || !ValidLabel(longest) || ValidLabel(longest+"w") {
		t.Error("the longest label")
	}
}
