// Package archive keeps the committed windows of a run in object storage, beside the workers that computed them:
// workers upload their committed windows, and a reader that finds no worker with a window reads it from there.
//
//	a, err := archive.Open("s3://bucket/prefix", run)
//	u := archive.NewUploader(a, archive.UploaderOptions{Source: store, Dir: dir})
//	go u.Run(ctx)
//	u.Add(windows...)                          // whatever was committed; returns at once
//	err = a.List(ctx, fn)                      // what is there, by name
//	f := transfer.NewFetcher(transfer.Options{Archive: a, ...})
//
// An object is PREFIX/RUN/LAYER/CELL/PART-DIGEST, and holds the stream that a worker would send of the window. Its name
// describes the content and proves nothing: a reader checks every block and the digest, as with workers. A damaged
// object is replaced when its window is uploaded again. Nothing is ever removed here: how long objects are kept is a
// rule of the bucket.
//
// The archive may be away, slow, full, or refuse us: uploads wait and are tried again. No computation waits for one.
//
// A coordinator keeps its ledger there, too:
//
//	l, err := a.Ledger(ctx, folder.Ledger, archive.LedgerOptions{...})
//	epoch, err := l.RaiseEpoch(0)              // brings the archive's entries into the folder, claims the next segment
//	go l.Run(ctx, fenced)                      // brings the folder's changes to the archive
//	left := l.Drain(ctx)                       // at the end
//
// The objects PREFIX/ledger/RUN/NUMBER are segments of it. Each is put under the condition that there is none of that
// number, which is all that is needed of the server: of two coordinators, one finds its number taken and ends. Objects
// of windows need no fence, because their names say what is in them.
package archive
