// scratch
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"syscall"
	"time"

	"pagoda/internal/counting"
	"pagoda/internal/fleet"
	"pagoda/internal/peg"
	"pagoda/internal/pipeline"
)

func main() {
	slots := flag.Int("slots", 2, "")
	win := flag.Uint64("window", 4194304, "")
	prof := flag.String("prof", "", "")
	board := flag.String("board", "english", "")
	start := flag.String("start", "center", "")
	dirf := flag.String("dir", "", "")
	keep := flag.String("keep", "all", "")
	flag.Parse()
	b, err := peg.Named(*board)
	check(err)
	s, err := peg.ParseStart(b, *start)
	check(err)
	g, err := peg.ParseGoal(b, *start)
	check(err)
	p, err := counting.NewGames(counting.Params{Board: b, Start: s, Goal: g, HasGoal: true, WindowSlots: *win})
	check(err)
	dir := *dirf
	if dir == "" {
		dir, err = os.MkdirTemp("", "zz")
		check(err)
		defer os.RemoveAll(dir)
	}
	pr, err := pipeline.Predict(p, pipeline.Resources{Slots: *slots, CacheBytes: 256 << 20, Keep: pipeline.Keep(*keep)})
	check(err)
	fmt.Printf("%+v\n", pr)
	m := pipeline.NewMeta(p.Identity(), "")
	f, err := pipeline.Create(dir, m, pipeline.FolderOptions{})
	check(err)
	if *prof != "" {
		pf, _ := os.Create(*prof)
		pprof.StartCPUProfile(pf)
		defer pprof.StopCPUProfile()
	}
	c0, t0 := cpu(), time.Now()
	l, err := fleet.Start(context.Background(), fleet.LocalOptions{Run: m.Run, Dir: filepath.Join(dir, "queue")})
	check(err)
	var took time.Duration
	var nr int
	out, err := pipeline.Run(context.Background(), p, f, l.Tasks, l.Work, pipeline.RunOptions{Slots: *slots, CacheBytes: 256 << 20, Keep: pipeline.Keep(*keep),
		Events: pipeline.Events{Committed: func(c pipeline.Committed) { took += c.Took; nr++ }, Lost: func(l pipeline.Lost) { fmt.Println(l) }}})
	check(err)
	fmt.Println("cpu", cpu()-c0, "wall", time.Since(t0), "compute", took, "windows", nr, "tasks", l.Submitted(), "disk", f.Store.DiskBytes()>>20)
	check(l.Close())
	check(f.Close())
	fmt.Println("closed cpu", cpu()-c0, "wall", time.Since(t0))
	sum, err := p.Summarise(out.Results)
	check(err)
	for _, f := range sum.Facts {
		fmt.Println(f.Name, f.Value.N, f.Value.S)
	}
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	fmt.Println("maxrss MB", u.Maxrss>>10)
}
func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
func check(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
