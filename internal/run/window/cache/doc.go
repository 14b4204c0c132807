// Package cache keeps decoded windows in memory, up to a number of bytes. It implements puzzle.Cache.
package cache
