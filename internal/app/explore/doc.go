// Package explore serves one page that shows runs in a browser: a board to play on, where every jump tells how many
// solutions go on with it, the tables of a run, and how far runs are.
//
//	server.go        the runs that are offered, and the routes
//	guard.go         the clients that may ask, and the headers of every answer
//	discover.go      the folders, also those that come later
//	offer.go         a run that is offered: its state
//	kept.go          the folders of runs, lent, and kept open for the next answer
//	small.go         runs that are carried out in a temporary folder when a client first asks for them
//	page.go          the files of the page
//	sent.go          how answers are sent: compressed, and kept by clients where they do not change
//	answer.go        questions, answered as the command line answers them
//	result.go        the result of a complete run, with what is needed to cite it
//	book.go          the page of that result in a book of results
//	figures.go       the pictures of an answer, as JSON
//	export.go        tables and rows of layers, to clients that may have them
//	problem.go       small runs whose start and goal are chosen on the page
//	verification.go  a run that is read again because the page asks
//	events.go        how far the runs are, as server-sent events
//	remote.go        runs that coordinators elsewhere carry out: their streams of events, followed
//	proxy.go         and their answers, passed on
//	page/            the page: plain modules, no build step, nothing from elsewhere
//
// The routes, of which those with GET change nothing:
//
//	GET  /                                        the page, and /page/DIGEST/FILE the files that it loads
//	GET  /puzzles                                 the questions, by puzzle, and by which of them it is played
//	GET  /puzzles/PUZZLE/QUESTION?arg=&FLAG=      an answerDoc to a question that needs no run
//	GET  /runs                                    the runs that are offered
//	POST /runs/RUN/begin                          carry out a small run
//	POST /runs/RUN/verify                         read all of a complete run again, without a change to it
//	GET  /problems                                the boards on which start and goal can be chosen
//	POST /problems?board=&start=&goal=            offer the run of a problem, its positions as hexadecimal numbers, on a
//	                                              board by name, or "LATTICE DRAWING";
//	                                              without start and goal that of all pairs of the board
//	GET  /runs/RUN/answer/QUESTION?arg=&FLAG=     an answerDoc
//	GET  /runs/RUN/v1/...                         the API of a coordinator, for that run: see package api
//	GET  /runs/RUN/result                         a resultDoc
//	GET  /runs/RUN/certificate                    the certificate in its folder
//	GET  /runs/RUN/book/                          leads to the page of the result, in a book of that run alone
//	GET  /rights                                  the rights of the client
//	GET  /coordinators                            the coordinators elsewhere that were named
//	GET  /events                                  an event "run" for every run, and one whenever something has changed;
//	                                              "coordinators" likewise, where some elsewhere were named
//
// Errors are JSON, {"error": ..., "hint": ..., "setting": ...}. Numbers of up to 128 bits travel as decimal strings.
package explore
