package render

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pagoda/internal/run/status"
)

// TestDisks: a status says that the rest of a run may not fit on the disks of its workers, and how much each has free.
func TestDisks(t *testing.T) {
	s := status.Status{State: status.StateRunning, Updated: time.Now()}
	s.Epoch, s.Disks = 1, &status.Disks{NeedBytes: 3 << 30, RoomBytes: 1 << 30, Workers: 2, Disks: 1}
	disk := status.Disk{ID: "d", Free: 5 << 20, Size: 9 << 20}
	s.Workers = []status.WorkerStatus{{Name: "old"}, {Name: "new", Disk: &disk}}
	const line = "the run may not fit: it writes up to 3.00 GiB more, and there are 1.00 GiB on 1 disk of 2 workers"
	text := string(Status(&s, Style{}))
	for _, want := range []string{
		"\ndisks        " + line + "; " + DiskAdvice + "\n",
		"  received  disk free  seen  ", "  0 B       -          ", "  0 B       5.00 MiB   ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if lines := Screen(&s, "", 24, 120); !slices.Contains(lines, "disks: "+line) {
		t.Errorf("no line on the screen: %q", lines)
	}
	s.Disks.MoreLayers = true
	text = string(Status(&s, Style{}))
	if !strings.Contains(text, "up to 3.00 GiB more in the layers planned so far, and") {
		t.Errorf("more layers are not told:\n%s", text)
	}
	s.Disks.Fits = true
	if text := string(Status(&s, Style{})); strings.Contains(text, "may not fit") {
		t.Errorf("it fits:\n%s", text)
	}
	if text := strings.Join(Screen(&s, "", 24, 120), "\n"); strings.Contains(text, "may not fit") {
		t.Errorf("it fits:\n%s", text)
	}
}
