package cli

import (
	"strings"
	"testing"
)

func TestCheckReach(t *testing.T) {
	for _, test := range []struct {
		n       Network
		listen  string
		refused bool
	}{
		{Network{NATS: "nats://127.0.0.1:4222", Transfer: "127.0.0.1:0"}, "", false},
		{Network{NATS: "nats://10.0.0.1:4222", Transfer: "127.0.0.1:0"}, "", true},
		{Network{NATS: "nats://127.0.0.1:4222,tls://head:4222", Transfer: "localhost:7070"}, "", true},
		{Network{NATS: "tls://head:4222", Transfer: "[::1]:0"}, "", true},
		{Network{NATS: "tls://head:4222", Transfer: "127.0.0.1:0", Advertise: "127.0.0.1"}, "", false},
		{Network{NATS: "tls://head:4222", Transfer: "0.0.0.0:7070", Advertise: "node7"}, "", false},
		{Network{NATS: "tls://head:4222", Transfer: "10.0.0.2:7070"}, "", false},
		{Network{NATS: "tls://[::]:4222", Transfer: "127.0.0.1:0"}, "", false},
		{Network{Transfer: "127.0.0.1:0"}, "127.0.0.1:0", false},
		{Network{Transfer: "127.0.0.1:0"}, "0.0.0.0:4222", true},
		{Network{Transfer: "127.0.0.1:0"}, ":4222", true},
	} {
		err := test.n.CheckReach(test.listen)
		if refused := err != nil; refused != test.refused {
			t.Errorf("%+v, listening on %q: %v", test.n, test.listen, err)
		}
		if err != nil && (Code(err) != Usage || !strings.Contains(Advice(err), "--advertise")) {
			t.Errorf("%v, hint %q, code %d", err, Advice(err), Code(err))
		}
	}
}
