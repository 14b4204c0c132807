package natsqueue

import (
	"testing"

	"github.com/nats-io/nats.go"
)

// FuzzDelivery decodes what a stream delivers: a task and its deadline.
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
		d, err := newDelivery(nil, m)
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

// FuzzStatus feeds a lane what a server may answer instead of a task: it never owes less than nothing, nor more than
// was asked for.
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
