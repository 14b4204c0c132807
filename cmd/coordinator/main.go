// Coordinator runs enumerations on this machine: it plans a run, computes and stores its windows, resumes it,
// verifies it and exports its results. See docs/cli.md.
package main

import (
	"os"

	"pagoda/internal/catalog"
)

func main() {
	a := &app{stdout: os.Stdout, stderr: os.Stderr, environ: os.Environ(), catalog: catalog.All}
	os.Exit(a.main(os.Args[1:]))
}
