// Package life puts the life of a window together: the events of coordinator and workers about it, in the order of
// their times, its computations and the reason of each, and the workers that hold it.
//
//	l := life.Of(id, events) // of all processes, in any order, about any window
//
// An event is about a window, about a worker, or about the run. Of a worker's events those belong to a life that fall
// into the time in which the worker has the window: it was given it, or holds it.
//
// Each process has its own clock. Where clocks differ by more than the time between two events, the order of these is
// not that in which they happened.
package life
