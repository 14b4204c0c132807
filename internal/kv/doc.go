// Package kv keeps committed windows on disk.
//
// A [Store] is a folder that belongs to one run and one process. A window is written block by block through a [Writer],
// and exists once [Writer.Commit] has returned: the blocks go to Pebble's log unsynced as they come, the commit record
// follows with a synced write, and since a log is durable in order, the one sync makes the blocks durable with it. A
// window whose record is missing was never written; what an interrupted writer left is removed by the next [Open].
//
// A [Ledger] is the coordinator's folder: the records of the committed windows with the workers that hold them, and
// what the run needs to know about itself.
//
// # What protects a digit
//
//   - every coded block ends with a 64-bit checksum, checked before anything else of it is believed;
//   - a stored window has a seal, a hash over the addresses, lengths and checksums of its blocks in order, so that a
//     read of the whole window finds a block that is missing, doubled, or taken from elsewhere;
//   - the record carries the [Digest] of the content, which is the same whoever computed the window and however it was
//     coded. It is computed when a window is written or received, and computed again by [Store.Verify].
//
// The seal is what makes reading cheap: it ties the blocks to the commit that computed the digest, at the price of a
// hash of the coded bytes, whereas SHA-256 over the decoded rows costs more than decoding them (a window is read by
// each of its children).
//
// # Keys
//
//	m                                        {"format":1,"kind":"windows","run":"..."}
//	s                                        sessions so far, uint64
//	r <window>                               generation, seal, commit record
//	b generation <window> first-address      coded block, see [EncodeBlock]
//	i generation <window>                    a writer began; blocks of this generation without a record are rubbish
//	e <window>                               ledger entry
//	a <window>                               ledger: the window has to be computed a second time; no value
//	x name                                   ledger: what the run knows about itself
//
// <window> is layer (4 bytes), cell key, a zero byte, part (4 bytes); numbers are big endian, so the blocks of a window
// are neighbours in address order, and the records of a layer are neighbours. The generation is a number that no other
// writer of the folder had, and greater than those before: two writers of the same window do not meet, and a commit
// replaces an older copy at once. It leads the keys of blocks because what is written then always lies behind what is
// there: tables do not overlap, so compaction moves them instead of rewriting rows, and a window that is written again
// because its table is damaged does not come to lie in the damaged table's range, where reads would go on to fail.
package kv

// FormatVersion is the version of everything this package puts on disk or hands to another worker: keys, coded blocks,
// records, digests. A folder of another version is refused, see [FormatError].
const FormatVersion = 1
