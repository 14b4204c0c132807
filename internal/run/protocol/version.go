package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Version is that of the messages. A program passes over fields that it does not know, so that a later one may add some
// without another version: their processes work together. When a field comes to mean something else, or others cannot
// do without it, the version is another. A coordinator takes only workers of its own version, see CheckVersion.
//
// Every version keeps the run, worker and version of a Join, the error and stop of its answer, and the run, epoch,
// instance and over of an Announcement. So a process is told why it is not taken, and coordinators yield to each other.
const Version = 2

// ErrVersion is wrapped when a worker speaks another version of the messages.
var ErrVersion = errors.New("another version of the messages")

// CheckVersion returns an error that wraps ErrVersion unless a worker's version is this program's.
func CheckVersion(worker string, version int) error {
	if version == Version {
		return nil
	}
	return fmt.Errorf("%w: worker %.40q speaks version %d, the coordinator version %d; have both run the same program",
		ErrVersion, worker, version, Version)
}

// versionOf is the error of a join that could not be decoded: the version, if it is another, or err.
func versionOf(b []byte, err error) error {
	var head struct {
		Worker  string `json:"worker"`
		Version int    `json:"version"`
	}
	if herr := json.Unmarshal(b, &head); herr == nil && head.Version != Version {
		return CheckVersion(head.Worker, head.Version)
	}
	return err
}
