package fleet

import (
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/rogpeppe/go-internal/testscript"
)

// natsServer VAR [plain] starts a NATS server, which lives as long as the script, and puts its address into a variable.
// A plain one has no JetStream.
func natsServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 || len(args) == 2 && args[1] != "plain" {
		ts.Fatalf("usage: nats var [plain]")
	}
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: len(args) == 1, StoreDir: ts.MkAbs("nats"), NoLog: true,
		NoSigs: true,
	})
	ts.Check(err)
	s.Start()
	ts.Defer(s.Shutdown)
	if !s.ReadyForConnections(time.Minute) {
		ts.Fatalf("the NATS server is not ready")
	}
	ts.Setenv(args[0], s.Addr().String())
}
