package fleet

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestOperatingLife carries out the commands of docs/operating.md on the life of a window as they stand there, and what
// follows from them.
func TestOperatingLife(t *testing.T) {
	page, err := os.ReadFile("../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, found := strings.Cut(string(page), "\n## The life of a window\n")
	chapter, _, _ = strings.Cut(chapter, "\n## ")
	if !found {
		t.Fatal("the page has no such chapter")
	}
	further, err := os.ReadFile("testdata/operating/life.txt")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := append([]byte(lifeScript(t, chapter)), further...)
	if err := os.WriteFile(filepath.Join(dir, "life.txt"), script, 0o600); err != nil {
		t.Fatal(err)
	}
	runScripts(t, dir, nil)
}

// lifeScript makes a script of the page's commands, each with a wait for what the next one needs, and of the output
// that the page shows, but for its figures.
func lifeScript(t *testing.T, chapter string) string {
	var script strings.Builder
	say := func(lines ...string) { script.WriteString(strings.Join(lines, "\n") + "\n") }
	background := regexp.MustCompile(`^(coordinator|worker) (.*) 2>(\w+)\.log$`)
	commands := 0
	for text := range strings.Lines(strings.ReplaceAll(chapter, "\\\n", "")) {
		line, indented := strings.CutPrefix(strings.TrimRight(text, "\n"), "    ")
		command, shown := strings.CutPrefix(line, "$ ")
		command = strings.ReplaceAll(strings.Join(strings.Fields(command), " "), "configs/", "$CONFIGS/")
		m := background.FindStringSubmatch(command)
		folder, remove := strings.CutPrefix(command, "rm -r ")
		switch {
		case !indented || line == "":
		case !shown:
			say("stdout '" + lifePattern(line) + "'")
			continue
		case m != nil && m[1] == "coordinator":
			say("start "+m[3]+" coordinator "+strings.ReplaceAll(m[2], ":4222", ":0"), "address NATS "+m[3]+" queue")
		case m != nil:
			say("start "+m[3]+" worker "+strings.ReplaceAll(m[2], "127.0.0.1:4222", "$NATS"),
				"says "+m[3]+` '"window reported".* window=0/12.8.8.8/0 '`)
		case remove: // and the worker is gone with its machine
			say("signal "+folder+" KILL", "ends "+folder+" -1", "rm "+folder, `says coordinator '"worker lost"'`)
		case strings.HasPrefix(command, "coordinator life "):
			say("exec " + strings.ReplaceAll(command, ".log", ".err"))
		default:
			t.Fatalf("the test does not know the command %s", command)
		}
		if shown {
			commands++
		}
	}
	if commands != 5 {
		t.Fatalf("the page has %d commands", commands)
	}
	return script.String()
}

// lifePattern is a regular expression for a line of the page with any times and other figures, but for names.
func lifePattern(line string) string {
	figure := regexp.MustCompile(`\b[0-9][-0-9T:.]*(Z|µs|ms|s)\b|: [0-9]+\b|\b[0-9]+ lines\b`)
	var b strings.Builder
	last := 0
	for _, at := range figure.FindAllStringIndex(line, -1) {
		b.WriteString(regexp.QuoteMeta(line[last:at[0]]) + `[-0-9A-Za-zµ:. ]+`)
		last = at[1]
	}
	b.WriteString(regexp.QuoteMeta(line[last:]))
	end := "$"
	if strings.HasPrefix(line, "logs ") {
		end = "(, .*)?$" // the coordinator may be in the middle of its last line
	}
	return "^" + regexp.MustCompile(` {2,}`).ReplaceAllString(b.String(), " +") + end
}
