package k8s

import (
	"strings"
	"testing"
)

func TestImages(t *testing.T) {
	digest := "sha256:" + strings.Repeat("0f", 32)
	for name, test := range map[string]struct {
		want     image
		floating bool
	}{
		"pagoda":                         {image{Name: "x", NewName: "pagoda", NewTag: "latest"}, true},
		"pagoda:1":                       {image{Name: "x", NewName: "pagoda", NewTag: "1"}, false},
		"pagoda:latest":                  {image{Name: "x", NewName: "pagoda", NewTag: "latest"}, true},
		"registry.example:50/a/pagoda":   {image{Name: "x", NewName: "registry.example:50/a/pagoda", NewTag: "latest"}, true},
		"registry.example:50/a/pagoda:2": {image{Name: "x", NewName: "registry.example:50/a/pagoda", NewTag: "2"}, false},
		"r/a_b.c--d:v1.2_x-y":            {image{Name: "x", NewName: "r/a_b.c--d", NewTag: "v1.2_x-y"}, false},
		"pagoda@" + digest:               {image{Name: "x", NewName: "pagoda", Digest: digest}, false},
		"pagoda:latest@" + digest:        {image{Name: "x", NewName: "pagoda", NewTag: "latest", Digest: digest}, false},
		"r:5/pagoda:3@" + digest:         {image{Name: "x", NewName: "r:5/pagoda", NewTag: "3", Digest: digest}, false},
	} {
		if err := CheckImage(name); err != nil {
			t.Error(err)
		}
		if got := newImage("x", name); got != test.want {
			t.Errorf("newImage(%q) = %+v, want %+v", name, got, test.want)
		}
		if got := Floating(name); got != test.floating {
			t.Errorf("Floating(%q) = %v", name, got)
		}
	}
	for _, name := range []string{
		"", " ", "pagoda ", "pagoda:", "pagoda@", "pagoda:1:2", "pagoda@sha256:0f", "pagoda@latest", "pagoda@" + digest + "0",
		"pagoda@" + strings.ToUpper(digest), "pagoda@sha512:" + strings.Repeat("0f", 32), "r/Pagoda:1", "r//pagoda",
		"/pagoda", "r/pagoda/", "https://r/pagoda", "pagoda:-1", "pagoda\n", "a/" + strings.Repeat("b", 2000), digest,
	} {
		if err := CheckImage(name); err == nil || len(err.Error()) > 250 {
			t.Errorf("CheckImage(%.80q) = %v", name, err)
		}
	}
}
