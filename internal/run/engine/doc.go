// Package engine carries out a whole run in one call: it brings the data folder, the coordinator, a queue and the
// worker of this process together, keeps the status file, and recovers a store that turns out to be damaged.
//
//	f, err := rundir.Create(dir, rundir.NewMeta(p.Identity(), config), rundir.FolderOptions{})
//	defer f.Close()
//	out, err := engine.Run(ctx, p, f, engine.Options{Concurrency: 2}) // resumes what f already holds
//	sum, err := p.Summarise(out.Results)
//
// There is one way to carry out a run: a coordinator and workers that join it. Without Options.ServeMessages no worker
// can join from outside, and the only worker is that of this process, over a queue in memory; with it, workers in other
// processes join through whatever that serves.
package engine
