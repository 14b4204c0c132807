package protocol

import (
	"context"
)

// A CoordinatorService is where workers of a fleet turn to. *Coordinator is one; transports carry its messages. Safe
// for concurrent use.
type CoordinatorService interface {
	Join(ctx context.Context, j Join) JoinResponse
	Heartbeat(ctx context.Context, b Heartbeat) HeartbeatResponse
	Locator
}

// A CoordinatorClient is a worker's side of a CoordinatorService, over some transport. Safe for concurrent use. A call
// that cannot be carried out at the moment may be tried again until ctx is done; an error says that it was not
// answered, and nothing about the run.
type CoordinatorClient interface {
	Join(ctx context.Context, j Join) (JoinResponse, error)
	Heartbeat(ctx context.Context, b Heartbeat) (HeartbeatResponse, error)
	Locator
	// Drops passes the coordinator's drops to fn, until ctx is done, when it returns nil. It begins with an empty drop of
	// epoch 0, which says that it listens: a worker that joins after that receives all drops. A link that was cut and is
	// whole again passes another: drops sent meanwhile are lost.
	Drops(ctx context.Context, fn func(Drop)) error
}
