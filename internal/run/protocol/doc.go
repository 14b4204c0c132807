// Package protocol has the messages between coordinator and workers, with their checks and encodings, and the
// interfaces that carry them. It knows no transport, no store and no puzzle.
//
// A worker joins ([Join], with its inventory), sends a [Heartbeat] every 2 s, and takes a [Task] from its [WorkQueue].
// It asks where the parents of a window are when the task does not say ([Locator]), fetches their rows ([Fetcher]), and
// sends a [Report]. The coordinator answers the report when all of it is in its ledger, synced; the task is
// acknowledged after that. The coordinator tells all workers to drop rows without further readers ([Drop]).
//
// # Doctrine
//
// A queue may lose, repeat or reorder anything; correctness never depends on an acknowledgement. Every message names
// its run and an epoch, which counts the coordinators of the run: workers follow the highest epoch that they have heard
// of, and a report of another epoch is never taken. Decoders pass over unknown fields, refuse malformed messages, and
// bound everything.
//
// The worker in a coordinator's process is called [OwnWorker]; no other worker can have that name.
package protocol
