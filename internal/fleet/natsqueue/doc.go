// Package natsqueue carries tasks, reports and questions between the coordinator of a run and its workers, over NATS.
// Rows do not pass here: workers fetch windows straight from each other.
//
// Tasks go through a JetStream work-queue stream with two kinds of durable pull consumers: one of the tasks for the
// first free worker, and one for each worker of the tasks directed to it. A slot asks for a task when it is free, so
// that no deadline runs for a task that no slot has begun. It asks the coordinator, which passes the request on, and
// the acknowledgement later: workers say nothing to JetStream themselves (pull.go says why). The task comes straight
// from the stream. Everything else is a plain request, answered by the coordinator: reports when they are in its
// ledger. NATS is a queue that can be rebuilt and never the record: the stream is emptied when a coordinator starts,
// and whatever gets lost in it the coordinator sends again.
//
// The coordinator:
//
//	s, err := natsqueue.Listen(ctx, natsqueue.ServerOptions{Address: "0.0.0.0:4222", Keys: k, Run: run, Dir: queueDir})
//	nc, err := s.Connect("coordinator")                     // or natsqueue.Dial to a server elsewhere
//	others, err := natsqueue.Coordinators(ctx, nc, run, wait)   // does another coordinator drive the run?
//	tasks, err := natsqueue.NewTasks(ctx, nc, run, natsqueue.TaskOptions{})
//	go tasks.ServeWorkers(ctx, coordinator)                       // joins, heartbeats, questions about parents
//	go natsqueue.Announce(ctx, nc, announcement, onOther)
//
// and a worker:
//
//	nc, err := natsqueue.Dial(ctx, natsqueue.DialOptions{URL: url, Name: name, Keys: k})
//	a, err := natsqueue.Discover(ctx, nc, "")                   // which run, and what is its config?
//	work, err := natsqueue.NewWork(nc, a.Run, name, natsqueue.WorkOptions{})
//	link, err := natsqueue.NewLink(nc, a.Run)
//
// Names on the wire, for run R, worker W, whose dots become equals signs, and K, the public key of the sender, or "-"
// without credentials; all messages are JSON, see package protocol:
//
//	stream PAGODA-R            subjects pagoda.R.task.>; Nats-Msg-Id is the task's ID
//	pagoda.R.task.any          tasks for everybody; consumer workers
//	pagoda.R.task.to.W         tasks directed to W; consumer to-W
//	pagoda.R.pull.K            request for tasks, passed on to a consumer; the tasks go to the inbox that it names
//	pagoda.R.ack.K             a worker's word on a task, passed on to its consumer
//	pagoda.R.report.K          Report, answered with Reply
//	pagoda.R.join.K            Join, answered with JoinResponse
//	pagoda.R.heartbeat.K       Heartbeat, answered with HeartbeatResponse
//	pagoda.R.locate.K          LocateRequest, answered with LocateResponse
//	pagoda.R.drop              Drop, to all workers, may be lost
//	pagoda.runs.R              Announcement, from the coordinator to everybody, every 2 s
//	pagoda.find, pagoda.find.R the question for it, of any run or of R
//
// A worker's credentials allow it to publish with its own K alone. The name of a worker ends in the fingerprint of its
// key (protocol.Named). The coordinator passes over every message for a worker whose name does not fit the key in the
// subject. So no worker can join, report, beat, take tasks or acknowledge as one of another key.
//
// What is believed: every message is decoded strictly and bounded in size before its use, every delivery may be a
// repetition, and every answer may get lost. Answers go to inboxes only, so that no worker can make the coordinator
// publish on subjects that are closed to the worker. The permissions are in permissions.go. Waiting input is bounded
// too: messages on a subject, tasks in the stream, workers that have joined. Our own servers also bound connections, a
// connection's subscriptions, and the bytes that wait for a slow reader.
//
// What can fail: a server that is away, restarts, or comes back without its storage, streams and consumers that are
// deleted or changed, messages that are lost or doubled, workers that freeze. The coordinator's watch restores missing
// tasks, streams and consumers; workers ask again for ever. Whether a digit is right depends on none of it.
package natsqueue
