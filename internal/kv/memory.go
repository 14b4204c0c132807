package kv

// StoreMemory and LedgerMemory bound the bytes that a store or ledger with these options takes outside the sight of
// Go's runtime, which its memory limit (GOMEMLIMIT) must leave to them: caches and write buffers where the program is
// built with cgo, and nothing otherwise.
func StoreMemory(o Options) uint64 { return outside(o, defaultCache, defaultMemTable) }

// LedgerMemory is StoreMemory for a ledger.
func LedgerMemory(o Options) uint64 { return outside(o, ledgerCache, ledgerMemTable) }

func outside(o Options, cache, table int64) uint64 {
	if !outsideGo {
		return 0
	}
	if o.CacheBytes != 0 {
		cache = o.CacheBytes
	}
	if o.MemTableBytes != 0 {
		table = o.MemTableBytes
	}
	return uint64(cache + memTables*table)
}
