// Package simulate carries a run out on a fleet that does not exist: the real coordinator, with its plan, assignment
// and membership, hands real tasks to workers that compute nothing. The caller gives the cost of a window, time is
// virtual, and every transfer queues at the network cards of both ends. Nothing is drawn at random: the same plan,
// costs and fleet give the same outcome.
//
// It is one goroutine and a list of events by time, not a bubble of testing/synctest, for two reasons: it is part of
// the product ("coordinator plan --workers"), and a million windows on a thousand workers are some ten million events,
// which would be as many switches between goroutines.
//
// The model has a worker's tasks and slots; the next task's parents fetched while a short task is computed; one request
// for each fetched window, sixteen at a time ahead of time and one after the other otherwise; the bandwidth of senders
// and receivers; memory, for which windows wait, and in which a worker keeps fetched windows as long as there is room;
// reports that a worker gathers while it commits; the coordinator as one server that gathers arrivals while its ledger
// syncs. It leaves out the size of a worker's disk (the need is reported), faults, and switches between the network
// cards.
package simulate
