// Package blockstest draws windows and blocks for tests of whatever codes, keeps or sends them.
package blockstest
