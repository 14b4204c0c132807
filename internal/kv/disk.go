package kv

const (
	// logBytes is what Pebble reserves for a log: as much as fills a table in memory, and a tenth more.
	logBytes = defaultMemTable + defaultMemTable/10 + 256<<10
	// firstMemTable is the memory that a database begins with; each table after it is twice as large, up to the largest.
	firstMemTable = 256 << 10
	// recordDisk is what the record of a window takes in a table: 400 bytes without flows, 780 on the English board.
	recordDisk = 800
	// certificateDisk is what it takes in a certificate.
	certificateDisk = 160
	// folderDisk is what every folder takes besides: manifests, options, status, and what the file system adds.
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
// end. What is dropped leaves room that is free only when its whole segment is, and segments that are kept to be
// overwritten.
func SegmentDisk(live, total uint64) uint64 {
	if live >= total {
		return total
	}
	return min(total, live+live/8+spareDisk)
}

// spareDisk is what dropped windows leave behind in the segments of a run, a part of what may be kept.
const spareDisk = 6 * segmentBytes
