package ops

import "github.com/prometheus/client_golang/prometheus"

// disk is the state of a file system, in bytes.
type disk struct{ free, size uint64 }

// WatchDisk adds metrics of the disk of the data folder, in bytes: its free space and its size, as look returns them at
// each scrape. Where look fails, or the system does not tell, there is nothing to show.
func WatchDisk(r prometheus.Registerer, look func() (free, size uint64, err error)) error {
	return r.Register(&snapshot[disk]{
		take: func() (*disk, bool) {
			free, size, err := look()
			return &disk{free, size}, err == nil && size > 0
		},
		figures: []figure[disk]{
			gauge("disk_free_bytes", "What can still be written where the data folder is.",
				func(d *disk) float64 { return float64(d.free) }),
			gauge("disk_size_bytes", "What could be written where the data folder is, were the disk empty.",
				func(d *disk) float64 { return float64(d.size) }),
		},
	})
}
