// Package certificatetest computes roots of runs a second time, for tests: slowly and recursively, after the
// documentation of package certificate and with no code of it. It writes the JSON of a window by hand.
package certificatetest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/certificate"
)

func merkle(leaves [][]byte) []byte {
	switch len(leaves) {
	case 0:
		h := sha256.Sum256(nil)
		return h[:]
	case 1:
		h := sha256.Sum256(append([]byte{0}, leaves[0]...))
		return h[:]
	}
	k := 1
	for 2*k < len(leaves) {
		k *= 2
	}
	h := sha256.Sum256(bytes.Join([][]byte{{1}, merkle(leaves[:k]), merkle(leaves[k:])}, nil))
	return h[:]
}

func windowJSON(w *certificate.Window) string {
	scalars := func(name string, list []puzzle.Scalar) string {
		var parts []string
		for _, s := range list {
			parts = append(parts, fmt.Sprintf(`{"name":"%s","value":"%s"}`, s.Name, s.Value.Big()))
		}
		if len(parts) == 0 {
			return ""
		}
		return fmt.Sprintf(`"%s":[%s]`, name, strings.Join(parts, ","))
	}
	flows := func(name string, list []puzzle.Flow) string {
		var parts []string
		for _, f := range list {
			parts = append(parts, fmt.Sprintf(`{"layer":%d,"cell":"%s","amount":"%s"}`, f.Layer, f.Key, f.Amount.Big()))
		}
		if len(parts) == 0 {
			return ""
		}
		return fmt.Sprintf(`"%s":[%s]`, name, strings.Join(parts, ","))
	}
	var tally []string
	for _, part := range []string{
		scalars("sums", w.Tally.Sums), scalars("maxima", w.Tally.Maxima), flows("in", w.Tally.In), flows("out", w.Tally.Out),
	} {
		if part != "" {
			tally = append(tally, part)
		}
	}
	return fmt.Sprintf(`{"layer":%d,"cell":"%s","part":%d,"first":%d,"addresses":%d,"rows":%d,"blocks":%d,"digest":"%x",`+
		`"tally":{%s}}`,
		w.Layer, w.Key, w.Part, w.First, w.Addresses, w.Rows, w.Blocks, w.Digest[:], strings.Join(tally, ","))
}

// Root is the root of a run in hexadecimal. Windows may come in any order.
func Root(run string, windows []certificate.Window) string {
	cells := make(map[puzzle.Cell][]certificate.Window)
	layers := make(map[int][]string) // keys of the cells
	for _, w := range windows {
		if len(cells[w.Cell]) == 0 {
			layers[w.Layer] = append(layers[w.Layer], w.Key)
		}
		cells[w.Cell] = append(cells[w.Cell], w)
	}
	var numbers []int
	for n := range layers {
		numbers = append(numbers, n)
	}
	sort.Ints(numbers)
	var top [][]byte
	for _, n := range numbers {
		sort.Strings(layers[n])
		var middle [][]byte
		total := 0
		for _, key := range layers[n] {
			list := cells[puzzle.Cell{Layer: n, Key: key}]
			sort.Slice(list, func(i, j int) bool { return list[i].Part < list[j].Part })
			var leaves [][]byte
			for i := range list {
				leaves = append(leaves, []byte("pagoda window\n"+windowJSON(&list[i])))
			}
			total += len(list)
			middle = append(middle, fmt.Appendf(nil, "pagoda cell %s %d %x\n", key, len(list), merkle(leaves)))
		}
		top = append(top, fmt.Appendf(nil, "pagoda layer %d %d %d %x\n", n, len(middle), total, merkle(middle)))
	}
	leaf := fmt.Appendf(nil, "pagoda run %s %d %d %x\n", run, len(top), len(windows), merkle(top))
	return hex.EncodeToString(merkle([][]byte{leaf}))
}
