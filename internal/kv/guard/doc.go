// Package guard is what stands between a database and the disk: a file system that freezes its folder at the first
// failed write, and that knows from what was written what the files should be, so that a folder that is closed says so
// and damage to it is found when it is opened again. It knows which files are Pebble's, and nothing of what is in them.
//
//	disk := guard.New(below, dir, ".seg")
//	closed, err := guard.CheckClosed(disk, dir) // before the database is opened
//	// the database works on disk; after each sync that is to be relied on:
//	err = disk.Err()
//	err = guard.WriteChecksums(disk, dir)       // after the database is closed
package guard
