// Package pipeline carries out a run: it plans windows, hands them to workers, records what is committed, resumes, and
// verifies. It knows windows, not puzzles, and a queue, not NATS.
//
// The usual way in:
//
//	est, err := pipeline.Predict(p, pipeline.Resources{Slots: 2, Keep: pipeline.KeepAll}) // before anything is created
//	err = est.Check(memoryLimit, freeDisk)
//	f, err := pipeline.Create(dir, pipeline.NewMeta(p.Identity(), configText), pipeline.FolderOptions{})
//	defer f.Close()
//	l, err := fleet.Start(ctx, fleet.LocalOptions{...})           // or any other pair of queue ends
//	defer l.Close()
//	out, err := pipeline.Run(ctx, p, f, l.Tasks, l.Work, pipeline.RunOptions{...}) // resumes what f already holds
//	sum, err := p.Summarise(out.Results)
//
// and afterwards, on a folder that nobody runs:
//
//	meta, err := pipeline.ReadMeta(dir)         // names the run and its config; never locks
//	f, err := pipeline.Open(dir, pipeline.FolderOptions{ReadOnly: true})
//	res, err := pipeline.Load(p, f)             // puzzle.Results from the ledger
//	err = f.Scan(ctx, res, cell, func(*puzzle.Block) error {...})
//	rep, err := pipeline.Verify(ctx, p, f, pipeline.VerifyOptions{})
//	st, err := pipeline.ReadStatus(dir, p)       // of a live run too
//
// A run on many workers has the same coordinator, and Lead in the place of Run:
//
//	out, err := pipeline.Lead(ctx, p, f, tasks, pipeline.LeadOptions{Attend: ...}) // Attend carries the messages of Desk
//	err := pipeline.Serve(ctx, pipeline.SessionOptions{...}) // in every worker, on a store of its own
//
// # Doctrine
//
// The ledger is the only record of progress: what it holds is done, what it lacks is computed again. The queue may
// lose, repeat or reorder anything; correctness never depends on an acknowledgement. A worker commits a window
// (blocks, then one synced record), reports the record, and the coordinator writes it to the ledger, synced, before
// it answers; only then is the task acknowledged.
//
// There is no barrier between layers: a window is ready when all windows of all its parent cells are in the ledger
// and somebody holds their rows. A window that is needed and held by nobody, because it was dropped, lost or found
// corrupt, is computed again, its parents first when they are gone too; its record stays in the ledger, so the second
// computation must give the digest of the first.
//
// Workers of a fleet join with an inventory of what is on their disks, which is believed as far as digests match the
// ledger; what the ledger contradicts or nobody needs they drop. They give signs of life; one that falls silent is gone
// with its rows until it joins again. All of that is memory: holders in the ledger are hints for the first seconds
// after a start, and nothing else about workers is written down.
//
// A coordinator begins an epoch, greater than all before it, and says it with everything. Workers follow the highest
// epoch that they have heard of, and a coordinator that hears of a greater one than its own stops (ErrFenced); reports
// of another epoch are never taken. So of two coordinators with copies of one ledger only one commits what workers do.
//
// A window that keeps failing is set aside, and the run goes on without it as far as it can (QuarantineError).
//
// For every edge between two cells the flow counted by the parent must equal the flow counted by the child. A
// difference stops the run.
package pipeline
