// Worker computes windows of a run for a coordinator on another machine. That needs a queue which listens on the
// network, and the coordinator has none yet: its workers run in its own process.
package main

import (
	"errors"
	"os"

	"pagoda/internal/cli"
)

func main() {
	err := cli.Hint(&cli.UsageError{Err: errors.New("a coordinator takes no workers from other processes yet")},
		"coordinator run CONFIG --workers N computes with N workers in one process")
	cli.Report(os.Stderr, cli.Colour(os.Stderr, os.Environ()), err)
	os.Exit(cli.Code(err))
}
