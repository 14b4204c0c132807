// Package kv keeps committed windows on disk.
//
// A [Store] is a folder that belongs to one run and one process. A window is written block by block through a [Writer],
// and exists once [Writer.Commit] or [Store.CommitAll] has returned. Its blocks go to a segment, a file beside the
// database, and are not written a second time. A commit makes the segment durable with one sync, and then with another
// the record in the database that says where the blocks are. Commits that wait at the same time share both, and small
// windows of one CommitAll share the write of their blocks too. A window whose record is missing was never written:
// blocks that an interrupted writer left in a segment are overwritten, or removed by the next [Open].
//
// A segment takes blocks until it is full. When all windows in it have been dropped it is overwritten or removed, after
// a sync that makes the removal of their records durable: a crash never brings back a record without its blocks. A read
// keeps the segments of its window as they are until it ends.
//
// A [Ledger] is the coordinator's folder: the records of the committed windows with the workers that hold them, and the
// run's own values, such as its epoch.
//
// # What protects a digit
//
//   - every coded block ends with a 64-bit checksum, checked before anything else of it is used;
//   - a stored window has a seal, a hash over the addresses, lengths and checksums of its blocks in order, so that a
//     read of the whole window finds a block that is missing, doubled, or taken from elsewhere;
//   - the record carries the [blocks.Digest] of the content, which is the same whoever computed the window and however
//     it was coded. It is computed when a window is written or received, and computed again by [Store.Verify].
//
// The seal makes reading cheap. It ties the blocks to the commit that computed the digest, at the price of a hash of
// the coded bytes. SHA-256 over the decoded rows would cost more than decoding them, and a window is read by each of
// its children.
//
// # Damaged files
//
// [Open] checks all files of the database against the checksums that Close has left, and after a crash those parts of
// the manifest that Pebble takes on trust. A mismatch is an error that wraps [ErrCorrupt]. [SalvageStore] and
// [SalvageLedger] then make a new folder from all that can be read.
//
// # Files and keys
//
//	00000001.seg     coded blocks one behind the other, see [blocks.Encode]; in a store only
//	CHECKSUMS        of the files of the database while the folder is closed; not there after a crash
//	everything else  Pebble's
//
//	m            {"format":2,"kind":"windows","run":"..."}
//	r <window>   digest, seal, where the blocks are, whether they are a copy, commit record; checksum
//	e <window>   ledger entry
//	a <window>   ledger: the window has to be computed a second time; no value
//	s <window>   ledger: copies made in this epoch or before must not be used; 8 bytes
//	x name       ledger: the run's own values
//
// <window> is layer (4 bytes), cell key, a zero byte, part (4 bytes); numbers are big endian, so the records of a layer
// are neighbours. A commit replaces an older copy of its window at once, wherever the blocks of the two are.
package kv

// FormatVersion is the version of the records with digests that other workers get, and of a ledger's entries. Blocks
// have their own version. FormatVersion is part of a run's ID. A ledger of another version is refused, see
// [FormatError].
const FormatVersion = 1

// StoreVersion is the version of the folder of a [Store]: its files, keys, and the values under them. A folder of
// another version is refused, see [FormatError]. Version 1 kept the blocks in the database.
const StoreVersion = 2
