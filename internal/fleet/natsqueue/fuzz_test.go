package natsqueue

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// FuzzDelivery decodes deliveries of a stream: a task and its deadline.
func FuzzDelivery(f *testing.F) {
	good := someTask("r1", "t", "w")
	b, err := good.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b, "30000")
	f.Add([]byte(`{"run":"../x"}`), "-1")
	f.Add(b, "99999999999999999999")
	f.Fuzz(func(t *testing.T, data []byte, deadline string) {
		m := &nats.Msg{Data: data, Header: nats.Header{deadlineHeader: {deadline}}}
		d, err := newDelivery(nil, "r1", m)
		if err != nil {
			return
		}
		if d.every < minAckWait/4 || d.every > maxAckWait/4 {
			t.Errorf("progress every %s", d.every)
		}
		if d.task.Run == "" || len(d.task.Windows) == 0 {
			t.Errorf("task %+v", d.task)
		}
	})
}

// FuzzStatus feeds a consumer a server's answers other than tasks: it never owes less than nothing, nor more than was
// asked for.
func FuzzStatus(f *testing.F) {
	f.Add("408", "3", 5)
	f.Add("100", "", 1)
	f.Add("503", "-7", 0)
	f.Fuzz(func(t *testing.T, code, pending string, asked int) {
		if asked < 0 {
			return
		}
		l := &consumer{asked: asked}
		l.status(&nats.Msg{Header: nats.Header{"Nats-Pending-Messages": {pending}}}, code)
		if l.asked < 0 || l.asked > asked || l.pause > retryMost {
			t.Errorf("%d tasks are owed of %d, the next request after %s", l.asked, asked, l.pause)
		}
	})
}

// FuzzPull decodes a worker's requests for tasks. None is passed on that JetStream would refuse, and so answer, or that
// would make it send heartbeats without end.
func FuzzPull(f *testing.F) {
	f.Add([]byte(`{"worker":"w.1","own":true,"batch":3,"expires":30000000000,"heartbeat":5000000000}`))
	f.Add([]byte(`{"batch":1,"expires":1,"heartbeat":1}`))
	f.Add([]byte(`{"worker":">","batch":-1,"expires":100000000,"heartbeat":50000000}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := decodePull(data)
		if err != nil {
			return
		}
		if strings.ContainsAny(consumerOf(p.Worker), ".*> \t\r\n") || p.Own && p.Worker == "" {
			t.Errorf("a consumer of %q", p.Worker)
		}
		if p.Batch < 1 || p.Heartbeat < int64(time.Millisecond) || 2*p.Heartbeat > p.Expires || p.Expires > int64(time.Hour) {
			t.Errorf("%+v", p)
		}
	})
}

// FuzzAck decodes acknowledgements. The subject must be that of a task of the run, read here token by token.
func FuzzAck(f *testing.F) {
	f.Add([]byte(`{"delivery":"$JS.ACK.PAGODA-r1.to-w=1~abcdefghij23.1.2.3.1700000000000000000.0","say":"done"}`))
	f.Add([]byte(`{"delivery":"$JS.ACK._.Abc1.PAGODA-r1.workers.1.2.3.4.5.Rnd","say":"back"}`))
	f.Add([]byte(`{"delivery":"$JS.ACK.PAGODA-r2.x.PAGODA-r1.c.1.2.3.4.5","say":"progress"}`))
	f.Add([]byte(`{"delivery":"$JS.API.STREAM.DELETE.PAGODA-r1","say":"never"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		subject, worker, say, err := decodeAck(data, "r1")
		if err != nil {
			return
		}
		parts := strings.Split(subject, ".")
		if len(parts) < 9 || len(parts) > 12 || parts[0] != "$JS" || parts[1] != "ACK" ||
			parts[2] != "PAGODA-r1" && parts[4] != "PAGODA-r1" || strings.ContainsAny(subject, "*> \t\r\n") {
			t.Errorf("an acknowledgement to %q", subject)
		}
		if !slices.Contains(parts, consumerAny) && !slices.Contains(parts, consumerOf(worker)) {
			t.Errorf("a task of worker %q by %q", worker, subject)
		}
		if parts[2] != "PAGODA-r1" && strings.HasPrefix(parts[2], "PAGODA-") {
			t.Errorf("an acknowledgement in another run's stream: %q", subject)
		}
		if slices.Contains(parts, "") || len(say) < 4 {
			t.Errorf("%q to %q", say, subject)
		}
	})
}
