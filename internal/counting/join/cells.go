package join

import "pagoda/internal/counting"

// Reads adds to the set the cells of en that the join makes or looks up.
func (j *Join) Reads(en *counting.Enumeration, set counting.CellSet) {
	if j.Near != en && j.Far != en || j.Jumps >= len(j.Near.Lattice) {
		return
	}
	for _, v := range j.Near.Lattice[j.Jumps] {
		far := j.FarVectors(v)
		if j.Near == en && len(far) > 0 {
			set.Add(j.Jumps, v)
		}
		if j.Far == en {
			for _, u := range far {
				set.Add(j.FarJumps, u)
			}
		}
	}
}
