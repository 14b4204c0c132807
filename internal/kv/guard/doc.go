// Package guard stands between a database and the disk. Its file system freezes the folder at the first failed write.
// It takes checksums of the bytes that are written, and a closed folder lists its files with them. The next opening
// then finds damage. The package knows which files are Pebble's, but not their content.
//
//	disk := guard.New(below, dir, ".seg")
//	closed, err := guard.CheckClosed(disk, dir) // before the database is opened
//	// the database works on disk; after each sync that is to be relied on:
//	err = disk.Err()
//	err = guard.WriteChecksums(disk, dir)       // after the database is closed
package guard
