// Package objects keeps exports and windows in object storage: whole values under names, in a bucket of a server that
// speaks S3. It knows neither windows nor tables.
//
// The usual way in:
//
//	at, err := objects.Parse("s3://bucket/prefix")
//	store, err := objects.Open(at)                   // keys and endpoint from the environment; no request yet
//	err = store.Check(ctx)                           // is it there, and may we read it?
//	err = store.Put(ctx, at.Below("layers.csv").Key, content, size, objects.New)
//
// An object appears complete or not at all, which S3 promises; nothing here relies on more than that. The bytes that
// are read may be wrong: the reader checks them.
package objects
