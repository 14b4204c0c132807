// Package rundir is the data folder of a run: whose it is (run.json), the ledger, the store of the worker that lives in
// it, and the status file of a live run. It resumes, reads, and recovers what is damaged.
//
//	f, err := rundir.Create(dir, rundir.NewMeta(p.Identity(), configText), rundir.FolderOptions{}) // or resumes
//	defer f.Close()
//
// and on a folder that nobody runs, or only to look:
//
//	meta, err := rundir.ReadMeta(dir)            // names the run and its config; never locks
//	f, err := rundir.Open(dir, rundir.FolderOptions{ReadOnly: true})
//	pl, err := rundir.Load(p, f)                 // puzzle.Results from the ledger
//	err = f.Scan(ctx, pl, cell, func(*puzzle.Block) error {...})
//	st, err := rundir.ReadStatus(dir, p)         // of a live run too
//
// # Doctrine
//
// run.json is written first, synced, so that a crash leaves a folder whose owner is known. A folder of other parameters
// is refused and never changed. A damaged store or ledger is replaced by a copy of what can be read of it, a lost
// ledger by the records of the store, a damaged run.json by that of the run that resumes; what the run needs of the
// rest is computed again.
package rundir
