package address_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"pagoda/internal/run/address"
)

func TestListenAndDial(t *testing.T) {
	for _, test := range []struct {
		text         string
		listen, dial bool
	}{
		{"127.0.0.1:8080", true, true}, {"node7:1", true, true}, {"my_service.x:65535", true, true},
		{"[fd00::1]:8080", true, true}, {"[fe80::1%eth0]:80", true, true}, {"[10.0.0.1]:80", true, true},
		{"host.example.:80", true, true}, {"4you:1", true, true},
		{"127.0.0.1:0", true, false}, {":8080", true, false}, {"0.0.0.0:1", true, false}, {"[::]:1", true, false},
		{"", false, false}, {"127.0.0.1", false, false}, {"127.0.0.1:", false, false}, {"[fd00::1]", false, false},
		{"fd00::1:80", false, false}, {"fd00::1", false, false}, {"a:b:c", false, false}, {"127.0.0.1:65536", false, false},
		{"127.0.0.1:-1", false, false}, {"127.0.0.1:http", false, false}, {"a b:1", false, false},
		{"300.1.1.1:1", false, false},
		{"a..b:1", false, false}, {".:1", false, false}, {"[node7]:1", false, false}, {"[]:1", false, false},
		{"][:1", false, false},
		{"[fd00::1]8080", false, false}, {"[fd00::1:80", false, false}, {"[fe80::1%a b]:80", false, false},
		{"tcp://a:1", false, false}, {"a/b:1", false, false}, {"bücher:1", false, false}, {"a\n:1", false, false},
	} {
		_, _, err := address.Listen(test.text)
		if (err == nil) != test.listen {
			t.Errorf("Listen(%q): %v", test.text, err)
		}
		_, _, err = address.Dial(test.text)
		if (err == nil) != test.dial {
			t.Errorf("Dial(%q): %v", test.text, err)
		}
		var e *address.Error
		if err != nil && (!errors.As(err, &e) || e.Advice() == "" || e.Address != test.text) {
			t.Errorf("Dial(%q): %v says neither what nor what to do", test.text, err)
		}
	}
}

func TestReached(t *testing.T) {
	for text, want := range map[string]string{
		"node7": "node7:7070", "node7:1": "node7:1", "10.0.0.2": "10.0.0.2:7070", "[10.0.0.2]:8444": "10.0.0.2:8444",
		"[fd00::1]": "[fd00::1]:7070", "[fd00::1]:8444": "[fd00::1]:8444",
		"fd00::5:8444": "", "fd00::1": "", "a b": "", "": "", ":7070": "", "0.0.0.0": "", "[::]": "", "h:99999": "",
		"h:0": "", "h:x": "", "h:": "", "][": "", "http://h": "",
	} {
		got, err := address.Reached(text, 7070)
		var e *address.Error
		if err == nil && got != want || (err == nil) != (want != "") ||
			err != nil && (!errors.As(err, &e) || e.Address != text) {
			t.Errorf("Reached(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	// Both readings are in the hint.
	_, err := address.Reached("fd00::5:8444", 1)
	var e *address.Error
	if !errors.As(err, &e) || !strings.Contains(e.Hint, "[fd00::5:8444]") || !strings.Contains(e.Hint, "[fd00::5]:8444") {
		t.Errorf("%v, with the hint %q", err, e.Hint)
	}
}

func TestInURL(t *testing.T) {
	for host, right := range map[string]bool{
		"h": true, "h:1": true, "[fd00::1]": true, "[fd00::1]:80": true, "0.0.0.0:80": true,
		"h:0": false, "h:99999": false, "h:": false, ":80": false, "": false, "fd00::1:80": false, "h..x:1": false,
	} {
		if err := address.InURL(&url.URL{Scheme: "http", Host: host}); (err == nil) != right {
			t.Errorf("InURL(%q): %v", host, err)
		}
	}
}
