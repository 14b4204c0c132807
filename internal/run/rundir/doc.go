// Package rundir is the data folder of a run: whose it is (run.json), the ledger, the store of the worker that lives in
// it, and the status file of a live run. It resumes, reads, and recovers what is damaged.
//
//	f, err := rundir.Create(dir, rundir.NewMeta(p.Identity(), configText), rundir.FolderOptions{}) // or resumes
//	defer f.Close()
//
// and to read the folder of a run that no process carries out:
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
// is refused and never changed. Damaged parts are replaced: a store or ledger by a copy of its readable windows, a lost
// ledger by the records of the store, run.json by that of the resuming run. The run computes lost windows again if it
// needs them.
package rundir
