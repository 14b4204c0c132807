package export_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"pagoda/internal/export"
)

// A sheet is well-formed and has a disc for every hole, with its exact value.
func TestWriteBoards(t *testing.T) {
	var boards []export.Board
	for range 20 {
		boards = append(boards, export.Board{Title: "after <3> jumps", Holes: []export.Hole{
			{X: 0, Y: 0, Share: 1, Exact: "40861647040079968 of 40861647040079968"}, {X: 6, Y: 6, Share: 0.25, Exact: "1 & 2"},
		}})
	}
	var b bytes.Buffer
	if err := export.WriteBoards(&b, "a < b", boards); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	elements := map[string]int{}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok {
			elements[e.Name.Local]++
		}
	}
	if elements["circle"] != 40 || elements["text"] != 21 || elements["title"] != 41 {
		t.Errorf("elements %v", elements)
	}
	if n := strings.Count(b.String(), "40861647040079968 of 40861647040079968"); n != 20 {
		t.Errorf("the exact value is there %d times", n)
	}
}
