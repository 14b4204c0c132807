package babylone

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/puzzle/setting"
)

// TestRefused demands that each wrong setting is refused by its name.
func TestRefused(t *testing.T) {
	declared := append([]setting.Setting{{Name: "window_addresses", Kind: setting.Integer, Default: "0", Max: 1 << 62}},
		Definition.Settings...)
	for _, c := range []struct{ colours, bricks, window, name, want string }{
		{"0", "2", "0", "colours", "between 1 and 20"},
		{"21", "1", "0", "colours", "between 1 and 20"},
		{"2", "0", "0", "bricks", "1 to 64"},
		{"2", "x", "0", "bricks", "1 to 64"},
		{"2", "", "0", "bricks", "1 to 64"},
		{"2", "3,2,1", "0", "bricks", "bricks of 3 colours for 2"},
		{"3", "30", "0", "bricks", "90 bricks in all"},
		{"2", "32", "0", "bricks", "choose fewer"},
		{"1", "64", "0", "bricks", "choose fewer"},
		{"16", "4", "1048576", "window_addresses", "choose 4194304 or more"},
		{"5", "6", "8", "window_addresses", "choose 16 or more"},
	} {
		given := map[string]string{"colours": c.colours, "bricks": c.bricks, "window_addresses": c.window}
		v, err := setting.NewSet(declared, given)
		if err == nil {
			_, err = Definition.New(v)
		}
		var e *setting.Error
		if !errors.As(err, &e) || e.Setting != c.name || !strings.Contains(err.Error(), c.want) || e.Advice() == "" ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: got %v", c, err)
		}
	}
	v, err := setting.NewSet(declared, map[string]string{"colours": "3", "bricks": "1, 4,2", "count": "graph"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Definition.New(v)
	if err != nil || p.Identity().Params[0].Value != "1,4,2" || len(p.Columns()) != 2 {
		t.Errorf("%v, error %v", p, err)
	}
	// Windows grow where they would be too many.
	large, err := New(Params{Bricks: slices.Repeat([]int{4}, 16), Count: CountWinner})
	if err != nil || large.windows(large.shift) > maxWindows || large.windows(large.shift-1) <= maxWindows {
		t.Errorf("16x4: %v, windows of 2^%d positions", err, large.shift)
	}
	if _, err := New(Params{Bricks: []int{2}, Count: "moves"}); err == nil {
		t.Error("an unknown count is accepted")
	}
}
