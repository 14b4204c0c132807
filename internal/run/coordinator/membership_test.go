package coordinator

import (
	"errors"
	"testing"

	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
)

// TestLaterEpoch: a coordinator whose run has failed tells the workers of its epoch, and none that has joined the next.
func TestLaterEpoch(t *testing.T) {
	b := newBoard(t, plantest.Grid(3), map[string]int{"a": 1})
	b.o.Epoch = 4
	b.stopOn(errors.New("no space left on device"))
	for epoch, rejoin := range map[uint64]bool{3: false, 4: false, 5: true} {
		reply, away := b.rejectReport(&protocol.Report{Run: paperRun, Worker: "a", Epoch: epoch})
		if !away || reply.Rejoin != rejoin || reply.Stop == rejoin || (reply.Error == "") != rejoin {
			t.Errorf("a worker of epoch %d is told %+v", epoch, reply)
		}
	}
}
