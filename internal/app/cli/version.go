package cli

import (
	"fmt"
	"runtime"

	"pagoda/internal/kv"
	"pagoda/internal/output/build"
	"pagoda/internal/run/protocol"
)

// A Version says which program this is, and which others it works with: the document of `version --output json`.
type Version struct {
	Program  string `json:"program"`
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Format   int    `json:"format"`   // of ledgers and of run IDs, see kv.FormatVersion
	Store    int    `json:"store"`    // of the folders in which windows are kept, see kv.StoreVersion
	Messages int    `json:"messages"` // between coordinators and workers, see protocol.Version
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// ThisVersion describes the program that runs.
func ThisVersion(program string) Version {
	b := build.Read()
	return Version{
		Program: program, Version: b.Version, Revision: b.Revision,
		Format: kv.FormatVersion, Store: kv.StoreVersion, Messages: protocol.Version,
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
	}
}

// Text is the version in lines for people.
func (v Version) Text() string {
	return fmt.Sprintf("%s %s\nrevision %s\nformat %d\nstore %d\nmessages %d\n%s %s/%s\n",
		v.Program, v.Version, v.Revision, v.Format, v.Store, v.Messages, v.Go, v.OS, v.Arch)
}
