// Package fleet carries tasks and reports between the coordinator of a run and its workers, over NATS.
//
// Tasks go through a JetStream work-queue stream with one durable pull consumer per run; a slot of a worker asks for
// one message when it is free, so that no deadline runs for a task that nobody has begun. Reports are plain requests,
// answered by the coordinator when they are in its ledger. NATS is a queue that can be rebuilt and never the record:
// the stream is emptied when a coordinator starts, and whatever gets lost in it the coordinator sends again.
//
// In one process:
//
//	l, err := fleet.Start(ctx, fleet.LocalOptions{Run: run, Dir: queueDir}) // a server without any listener
//	defer l.Close()
//	out, err := pipeline.Run(ctx, p, folder, l.Tasks, l.Work, ...)
//
// Across processes the coordinator calls [NewTasks] and the workers [NewWork] on their connections.
//
// Names on the wire, for run R:
//
//	stream PAGODA-R, subject pagoda.R.task   tasks as JSON, see pipeline.Task; Nats-Msg-Id is the task's ID
//	consumer workers                         durable, explicit acknowledgement, deliveries without limit
//	subject pagoda.R.report                  reports as JSON, answered with pipeline.Reply
package fleet
