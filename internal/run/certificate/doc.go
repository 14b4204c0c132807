// Package certificate is the certificate of a completed run: its results, its parameters, and one hash, the root. Any
// two honest runs of the same parameters have the same root, whatever their workers and interruptions. The package
// builds certificates, reads and checks them, says where two of them differ first, and proves that a window belongs to
// a root.
//
//	b := certificate.NewBuilder(run)
//	err := b.Add(window) // every window, by layer, key and part
//	tree, err := b.Finish()
//
// # Hashing
//
// Trees are those of RFC 6962, Certificate Transparency, section 2.1, with SHA-256: a leaf is hashed behind a byte 0,
// two nodes behind a byte 1, and a tree of n leaves is split at the largest power of two below n. There are four
// levels. Each of their leaves is a text that begins with its level, so that none can pass for another:
//
//	pagoda window\n<JSON of the window>                     one for each window of a cell, by part
//	pagoda cell <key> <windows> <hash>\n                    one for each cell of a layer, by key, bytewise
//	pagoda layer <layer> <cells> <windows> <hash>\n         one for each layer that has cells, by number
//	pagoda run <run> <layers> <windows> <hash>\n            the root is the hash of this leaf
//
// where <hash> is the tree over the leaves of the level before, in lower-case hexadecimal. The JSON of a window is its
// commit record without the run and without the size on disk, which depends on the coding, in one line, see [Window].
//
// The root commits to every row and every tally, through the digests and tallies of the windows. It does not depend on
// workers, machines, interruptions or dates. It does depend on how cells are cut into windows. The run ID depends on it
// too: window_addresses is a part of it.
package certificate
