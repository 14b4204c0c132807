package kv

const (
	// logBytes is what Pebble reserves for a log: as much as fills a table in memory, and a tenth more.
	logBytes = defaultMemTable + defaultMemTable/10 + 256<<10
	// firstMemTable is the memory that a database begins with; each table after it is twice as large, up to the largest.
	firstMemTable = 256 << 10
	// recordDisk bounds the record of a window in a table: 400 bytes without flows, 780 on the English board.
	recordDisk = 800
	// certificateDisk bounds the bytes of a window in a certificate.
	certificateDisk = 160
	// folderDisk bounds the other bytes of a folder: manifests, options, status, and the file system's own.
	folderDisk = 512 << 10
)

// DatabaseDisk bounds the bytes that store and ledger of a run of so many windows take besides the blocks: logs, which
// are reserved whole and kept to be overwritten, tables, which are there twice while one of the two merges them, and
// the certificate.
func DatabaseDisk(windows uint64) uint64 {
	records := windows * recordDisk
	logs := uint64(1)
	for table, filled := uint64(firstMemTable), uint64(firstMemTable); records > filled && logs < memTables+2; {
		logs++
		table = min(2*table, defaultMemTable)
		filled += table
	}
	return 2*logs*logBytes + 3*records + windows*certificateDisk + folderDisk
}

// SegmentDisk bounds the bytes of segments in which live bytes of windows are kept, of total that are written in the
// end. The room of a dropped window is free only when its whole segment is, and some segments are kept to be
// overwritten.
func SegmentDisk(live, total uint64) uint64 {
	if live >= total {
		return total
	}
	return min(total, live+live/8+spareDisk)
}

// spareDisk bounds the bytes that dropped windows leave behind in segments, besides an eighth of the live bytes.
const spareDisk = 6 * segmentBytes
