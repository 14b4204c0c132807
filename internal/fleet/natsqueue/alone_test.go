package natsqueue_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"pagoda/internal/fleet/natsqueue"
)

// aloneDir makes the test program a NATS server, with its storage in the folder that the variable names. With
// aloneConfig it is a server of its own, with that configuration, as nats-server -js -c would be.
const (
	aloneDir    = "PAGODA_FLEET_TEST_SERVER"
	aloneConfig = "PAGODA_FLEET_TEST_CONFIG"
)

func serveAlone() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	serve := serveEmbedded
	if os.Getenv(aloneConfig) != "" {
		serve = serveConfig
	}
	if err := serve(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

func serveEmbedded(ctx context.Context) error {
	s, err := natsqueue.Listen(ctx, natsqueue.ServerOptions{Address: "127.0.0.1:0", Dir: os.Getenv(aloneDir)})
	if err != nil {
		return err
	}
	fmt.Println(s.URL())
	<-ctx.Done()
	return s.Close()
}

func serveConfig(ctx context.Context) error {
	o, err := server.ProcessConfigFile(os.Getenv(aloneConfig))
	if err != nil {
		return err
	}
	o.Host, o.Port, o.JetStream, o.StoreDir, o.NoLog, o.NoSigs = "127.0.0.1", -1, true, os.Getenv(aloneDir), true, true
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	s.Start()
	defer func() {
		s.Shutdown()
		s.WaitForShutdown()
	}()
	if !s.ReadyForConnections(time.Minute) {
		return errors.New("the server is not ready")
	}
	fmt.Println("nats://" + s.Addr().String())
	<-ctx.Done()
	return nil
}
