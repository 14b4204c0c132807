// Worker computes windows of runs for coordinators in other processes, and gives them to other workers. See
// docs/fleet.md.
package main

import (
	"os"
)

func main() {
	a := &app{stdout: os.Stdout, stderr: os.Stderr, environ: os.Environ()}
	os.Exit(a.main(os.Args[1:]))
}
