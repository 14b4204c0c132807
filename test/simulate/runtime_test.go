package simulate

// seeded says that the choices of Go's runtime follow from the seed too: tools/simulate puts another file in the place
// of this one.
const seeded = false

func seedRuntime(uint64) {}
