package main

import (
	"strings"
	"testing"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/estimate"
)

// TestMemory demands that a worker takes no more than its machine or cgroup has, and says so where that is too little.
func TestMemory(t *testing.T) {
	for _, test := range []struct {
		flag, have, want uint64 // MiB; want 0: refused
	}{
		{0, 300, 0}, {0, 399, 0}, {0, 400, 320}, {0, 1000, 800}, {0, 0, 320}, {400, 300, 400}, {319, 1000, 0}, {320, 0, 320},
	} {
		s := settings{memory: test.flag << 20}
		err := s.checkMemory(test.have << 20)
		if refused := err != nil; refused != (test.want == 0) || !refused && s.memory != test.want<<20 {
			t.Errorf("%+v: %d bytes, %v", test, s.memory, err)
		}
		if err != nil && (cli.Code(err) != cli.Usage || !strings.Contains(cli.Advice(err), "320 MiB")) {
			t.Errorf("%+v: %v, code %d, hint %q", test, err, cli.Code(err), cli.Advice(err))
		}
	}
	if estimate.FetchedBytes(minMemory) >= minMemory {
		t.Error("the least memory has room for windows of others alone")
	}
}
