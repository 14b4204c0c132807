package status

// Disk is the disk of a worker's data folder.
type Disk struct {
	ID   string `json:"id"` // the same for workers that share it
	Free uint64 `json:"free_bytes"`
	Size uint64 `json:"size_bytes"`
	// Fetched is what windows of other workers take on it, whose files give way to rows.
	Fetched uint64 `json:"fetched_bytes,omitempty"`
}

// Disks compares the rest of a run with the disks of the workers that compute it.
type Disks struct {
	// NeedBytes bounds what may still be written to them; MoreLayers says: for the layers that are planned so far.
	NeedBytes  uint64 `json:"need_bytes"`
	MoreLayers bool   `json:"more_layers,omitempty"`
	// RoomBytes is what they have free, or would have without fetched windows.
	RoomBytes uint64 `json:"room_bytes"`
	Workers   int    `json:"workers"`
	Disks     int    `json:"disks"` // of these workers, some of which may share one
	Fits      bool   `json:"fits"`
}
