package render

import (
	"fmt"

	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/quantity"
	"pagoda/internal/run/status"
)

// DiskAdvice is what helps where rows may not fit on the disks of workers.
const DiskAdvice = "larger disks or workers on others help; " + LessDisk

// LessDisk says which settings have a run take less.
const LessDisk = "retention: last or summary, and fewer replicas, need less"

// lack says of disks that the rest of a run may not fit on how much it may need, and how much there is.
func lack(d *status.Disks) string {
	return fmt.Sprintf("the run may not fit: it writes up to %s more%s, and there are %s on %s of %s",
		quantity.Bytes(d.NeedBytes), SoFar(d), quantity.Bytes(d.RoomBytes), plural.Of(d.Disks, "disk"),
		plural.Of(d.Workers, "worker"))
}

// SoFar limits a figure to the layers that are planned, where others may follow.
func SoFar(d *status.Disks) string {
	if d.MoreLayers {
		return " in the layers planned so far"
	}
	return ""
}

// diskFree is the free space of a worker's disk, as far as it is known.
func diskFree(d *status.Disk) string {
	if d == nil {
		return "-"
	}
	return quantity.Bytes(d.Free)
}
