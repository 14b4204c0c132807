// Package damage damages the data folders of small runs at random, and demands that the programs cope: run ends with
// the results of an undisturbed run, or with an error whose advice leads there; verify finds errors in whatever is not
// a true part of that run; nothing panics. It also puts folders, links, pipes and sockets in the place of every file. A
// few trials are part of go test; make damage has a thousand.
package damage
