package natsqueue_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"pagoda/internal/natsqueue"
)

// aloneDir makes the test program a NATS server, with its storage in the folder that the variable names.
const aloneDir = "PAGODA_FLEET_TEST_SERVER"

func serveAlone() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	s, err := natsqueue.Listen(ctx, natsqueue.ServerOptions{Address: "127.0.0.1:0", Dir: os.Getenv(aloneDir)})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Println(s.URL())
	<-ctx.Done()
	_ = s.Close()
}
