package plural

import "testing"

func TestOf(t *testing.T) {
	for want, got := range map[string]string{
		"1 peg": Of(1, "peg"), "12 decks": Digits("12", "deck"), "1 deck": Digits("1", "deck"),
		"0 pegs": Of(0, "peg"), "2 classes": Of(uint64(2), "class"), "3 entries": Of(3, "entry"),
		"4 boxes": Of(4, "box"), "5 branches": Of(int64(5), "branch"), "6 ways": Of(6, "way"), "1 class": Of(1, "class"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
