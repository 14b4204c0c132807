// Package session is a worker's share of one run: its store, its exchange of windows with other workers, and its
// session with the run's coordinator, over NATS and HTTP.
//
// A process of its own has a [Supervisor], which opens the store and replaces it when it is damaged:
//
//	s := &session.Supervisor{Dir: dir, Run: run, Work: work.Serve, Log: log} // work: a *Session
//	err := s.Serve(ctx, stop)
//
// A worker inside a coordinator has the store of the coordinator's folder, and is a [Session] alone.
package session
