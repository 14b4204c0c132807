package notify

import (
	"errors"
	"time"

	"pagoda/internal/app/cli"
	"pagoda/internal/output/build"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/status"
)

// A Message is the body of a notification, as JSON. Standard Webhooks prescribes its first two fields.
type Message struct {
	Type      string    `json:"type"`      // "run." and the state
	Timestamp time.Time `json:"timestamp"` // when the run ended; that of an attempt is in the header
	Data      Data      `json:"data"`
}

// Data describes a run that has ended.
type Data struct {
	Run      string            `json:"run"` // its ID
	Name     string            `json:"name"`
	Puzzle   string            `json:"puzzle"`
	Settings map[string]string `json:"settings"`         // those that define the run
	State    string            `json:"state"`            // complete, failed, stopped or test
	Reason   string            `json:"reason,omitempty"` // the error; "" of a complete run
	Code     int               `json:"code"`             // exit code
	Seconds  float64           `json:"seconds"`          // since this start of the run
	Totals   map[string]string `json:"totals,omitempty"` // of a complete run: exact, as certificates have them
	Version  string            `json:"version"`          // of the program
}

// StateTest is the state in a message that no run has caused.
const StateTest = "test"

// Ended makes the message of a run that ended with err, and fills in state, reason, code and version of d.
func Ended(d Data, err error) *Message {
	d.State, d.Code = state(err), cli.Code(err)
	if err != nil {
		d.Reason = err.Error()
	}
	return message(d)
}

// Test makes a message that no run has caused, and fills in state and version of d.
func Test(d Data) *Message {
	d.State = StateTest
	return message(d)
}

func message(d Data) *Message {
	d.Version = build.Read().String()
	return &Message{Type: "run." + d.State, Timestamp: time.Now().UTC(), Data: d}
}

// state is the state of a run that ended with err. A run is stopped, and has not failed, when it goes on with the same
// command, or when another coordinator goes on with it.
func state(err error) string {
	switch code := cli.Code(err); {
	case err == nil:
		return status.StateComplete
	case code == cli.Stopped, code == cli.Interrupted, errors.Is(err, coordinator.ErrFenced):
		return status.StateStopped
	}
	return status.StateFailed
}
