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
// Every version keeps these fields: the run, worker, program and version of a Join; the error and stop of its answer;
// the run, epoch, instance, over and versions of an Announcement; the unfit and program of a Heartbeat. So both ends
// say why they do not work together, and coordinators yield to each other.
const Version = 2

// ErrVersion is wrapped when a worker speaks another version of the messages.
var ErrVersion = errors.New("another version of the program")

// Versions say of a coordinator which workers it takes. Those of an earlier program are zero: its workers find out when
// they join.
type Versions struct {
	Program  string `json:"program,omitempty"`  // of the coordinator's program, for people
	Messages int    `json:"messages,omitempty"` // see Version
	Format   int    `json:"format,omitempty"`   // of the data, see kv.FormatVersion
}

// Check returns an error that wraps ErrVersion unless a worker of this program and data format can work for the
// coordinator.
func (v *Versions) Check(format int) error {
	switch {
	case v.Messages != 0 && v.Messages != Version:
		return fmt.Errorf("%w: the coordinator speaks version %d, the worker version %d", ErrVersion, v.Messages, Version)
	case v.Format != 0 && v.Format != format:
		return fmt.Errorf("%w: the coordinator writes data format %d, the worker format %d", ErrVersion, v.Format, format)
	}
	return nil
}

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
