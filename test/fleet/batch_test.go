package fleet

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestBatchesDocument carries out the commands of docs/batches.md on worker processes as they stand there, and compares
// the table with that of one process.
func TestBatchesDocument(t *testing.T) {
	page, err := os.ReadFile("../../docs/batches.md")
	if err != nil {
		t.Fatal(err)
	}
	file := regexp.MustCompile("(?ms)^```yaml\n(# vacancies.yaml\n.*?)^```$").FindSubmatch(page)
	_, chapter, found := strings.Cut(string(page), "\n## Worker processes\n")
	commands := regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindStringSubmatch(chapter)
	if !found || file == nil || commands == nil {
		t.Fatal("the page has no such chapter, or no such file")
	}
	script := batchScript(t, commands[1]) + `stdout '^members +7 of 7 complete, 0 failed$'
exec coordinator batch run vacancies.yaml
cmp stdout p1.out
says p2 'msg="run is over"'
says p3 'msg="run is over"'
-- vacancies.yaml --
` + string(file[1])
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "batches.txt"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	runScripts(t, dir, nil)
}

// batchScript makes a script of the commands of a shell, whose job %N is the process pN. The status stands last, so
// that its output can be looked at.
func batchScript(t *testing.T, commands string) string {
	var script, status strings.Builder
	jobs := 0
	for line := range strings.Lines(commands) {
		words := strings.Fields(line)
		switch {
		case words[len(words)-1] == "&":
			jobs++
			command := strings.Join(words[:len(words)-1], " ")
			command = strings.ReplaceAll(command, "--listen 127.0.0.1:4222", "--listen 127.0.0.1:0")
			command = strings.ReplaceAll(command, "nats://127.0.0.1:4222", "nats://$NATS")
			fmt.Fprintf(&script, "start p%d %s\n", jobs, command)
			if jobs == 1 {
				script.WriteString("address NATS p1 queue\n")
			}
		case words[0] == "wait":
			fmt.Fprintf(&script, "ends p%s 0\n", strings.TrimPrefix(words[1], "%"))
		case words[0] == "kill":
			for _, job := range words[1:] {
				job = strings.TrimPrefix(job, "%")
				fmt.Fprintf(&script, "signal p%s TERM\nends p%s 0\n", job, job)
			}
		case words[0] == "coordinator":
			fmt.Fprintf(&status, "exec %s", line)
		default:
			t.Fatalf("the test does not know the command %s", line)
		}
	}
	if jobs != 3 || status.Len() == 0 {
		t.Fatalf("the page has %d processes, and asks for\n%s", jobs, status.String())
	}
	return script.String() + status.String()
}
