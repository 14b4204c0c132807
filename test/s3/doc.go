// Package s3 has tests against a real S3 server, versitygw, which keeps its buckets in a folder. Between it and the
// programs stands a proxy, which is slow, fails or breaks off when it is told to. No port is fixed: the server listens
// on a socket in a folder.
//
//	go test -C test/s3 ./...
//
// The first time the server is built, which takes a minute or two.
package s3
