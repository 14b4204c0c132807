// Package protocol has what coordinator and workers say to each other: the messages with their checks and encodings,
// and the interfaces through which they are carried. It knows no transport, no store and no puzzle.
//
// A worker joins ([Join], with what is on its disk), sends a heartbeat every 2 s, takes a [Task] from its [WorkQueue],
// asks where the parents of a window are when the task does not say ([Locator]), fetches their rows ([Fetcher]), and
// sends a [Report]. The coordinator answers the report when all of it is in its ledger, synced; only then is the task
// acknowledged. What nobody reads any more it tells all workers to drop ([Drop]).
//
// # Doctrine
//
// A queue may lose, repeat or reorder anything; correctness never depends on an acknowledgement. Every message names
// its run and an epoch, which counts the coordinators of the run: workers follow the highest epoch that they have heard
// of, and a report of another epoch is never taken. Decoders refuse what they do not know, and bound everything.
//
// The worker in a coordinator's process is called [OwnWorker]; no other worker can have that name.
package protocol
