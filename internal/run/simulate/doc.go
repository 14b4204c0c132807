// Package simulate carries a run out on a fleet that does not exist: the real coordinator, with its plan, assignment
// and membership, hands real tasks to workers that compute nothing. What a window costs comes from outside, time is
// virtual, and every transfer queues at the network cards of both ends. Nothing is drawn at random: the same plan,
// costs and fleet give the same outcome.
//
// It is one goroutine and a list of events by time, not a bubble of testing/synctest, for two reasons: it is part of
// the product ("coordinator plan --workers"), and a million windows on a thousand workers are some ten million events,
// which would be as many switches between goroutines.
//
// What is modelled: tasks that a worker has in hand, and its slots; the next task's parents fetched while a short task
// is computed; one request for each window that is fetched, sixteen at a time ahead of time and one after the other
// otherwise; the bandwidth of senders and receivers; memory, for which windows wait, and in which a worker keeps what
// it has fetched as long as there is room; reports that a worker gathers while it commits; the coordinator as one
// server that gathers what arrives while its ledger syncs. What is not: the disk that a worker has (its need is
// reported), faults, and switches between the network cards.
package simulate
