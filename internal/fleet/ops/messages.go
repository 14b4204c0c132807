package ops

// Messages about windows and about the workers that have them. ReadLog finds them again, so both programs log them from
// here.
const (
	// MsgRun is about a process that begins with a run: the coordinator, or a worker that serves it.
	MsgRun = "run"
	// MsgResult is about a complete run whose process stays for a time. `coordinator k8s list` reads it.
	MsgResult = "result"

	MsgAssigned  = "window assigned"  // by the coordinator; WorkerKey is absent when the first free worker takes it
	MsgTaken     = "window taken"     // by the worker, from the queue
	MsgComputed  = "window computed"  // by the worker, before it commits and reports the window
	MsgReported  = "window reported"  // by the worker, when the coordinator has answered
	MsgCommitted = "window committed" // by the coordinator: the window is in the ledger
	MsgAudited   = "window audited"   // by the coordinator: WorkerKey has computed it a second time
	MsgCopied    = "window copied"    // by the coordinator: WorkerKey holds it too
	MsgDropped   = "window dropped"   // by the coordinator: nothing reads it any more
	MsgRetried   = "window failed and is tried again"
	MsgSetAside  = "window failed too often"
	MsgLost      = "window is gone or damaged and is computed again"
	MsgFailed    = "window failed" // by the worker
	MsgRefused   = "worker reported a wrong result and is refused from now on"

	MsgJoined   = "worker joined"
	MsgLeft     = "worker has left"
	MsgGone     = "worker lost"
	MsgUnserved = "worker does not serve the windows that it holds, and has to wait until it may join again"
	MsgStalled  = "worker does not report what it was given, others are given it"

	MsgResent      = "the queue lost tasks, they were sent again"
	MsgAbsent      = "windows without a holder are computed again"
	MsgArchiveLost = "the archive cannot be read"
)
