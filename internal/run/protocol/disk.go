package protocol

import "fmt"

// A Disk is the disk of a worker's data folder, as the worker sees it.
type Disk struct {
	// ID names the file system and its machine: workers with the same ID write to the same disk.
	ID   string `json:"id"`
	Free uint64 `json:"free"` // bytes
	Size uint64 `json:"size"` // bytes that fit on the empty disk
	// Fetched is the size of the windows of other workers in bytes. Their files give way to rows.
	Fetched uint64 `json:"fetched,omitempty"`
}

func (d *Disk) check() error {
	if d != nil && !validName(d.ID, maxNameLen) {
		return fmt.Errorf("%w: %.40q names no disk", ErrMessage, d.ID)
	}
	return nil
}
