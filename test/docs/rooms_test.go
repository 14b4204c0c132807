package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestRooms compares the table of districts and rooms in docs/design.md with the folders below internal: the table
// names each folder of the program, and no folder that is not there. Names of folders for tests alone end in "test".
func TestRooms(t *testing.T) {
	name := regexp.MustCompile("`([a-z][a-z/0-9]*)`")
	district := ""
	named := make(map[string]string) // the code of the rows, by district
	for _, l := range strings.Split(section(t, read(t), "docs/design.md", "## Districts and rooms"), "\n") {
		cells := strings.Split(l, "|")
		if len(cells) != 5 {
			continue
		}
		if m := name.FindStringSubmatch(cells[1]); m != nil {
			district = m[1]
		}
		named[district] += l
		for _, m := range name.FindAllStringSubmatch(cells[2], -1) {
			if _, err := os.Stat(filepath.Join(root, "internal", district, m[1])); err != nil {
				t.Errorf("docs/design.md: the table of rooms has %s/%s, and internal/ has not", district, m[1])
			}
		}
	}
	rooms := make(map[string]bool)
	for path := range source(t, func(path string) bool { return !strings.HasSuffix(path, "_test.go") }) {
		room, inside := strings.CutPrefix(filepath.ToSlash(filepath.Dir(path)), root+"/internal/")
		if !inside || slices.ContainsFunc(strings.Split(room, "/"), func(s string) bool {
			return strings.HasSuffix(s, "test")
		}) {
			continue
		}
		rooms[room] = true
	}
	for room := range rooms {
		parts := strings.Split(room, "/")
		last := parts[len(parts)-1]
		if !slices.ContainsFunc(name.FindAllStringSubmatch(named[parts[0]], -1), func(m []string) bool {
			return m[1] == last || strings.HasSuffix(m[1], "/"+last)
		}) {
			t.Errorf("docs/design.md: the table of rooms lacks internal/%s", room)
		}
	}
	if len(rooms) < 50 {
		t.Errorf("only %d rooms were found", len(rooms))
	}
}
