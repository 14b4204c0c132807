package chance

import (
	"math/big"
	"testing"

	"pagoda/internal/puzzle/uint128"
)

func parsed(t *testing.T, text string) uint128.Uint128 {
	t.Helper()
	x, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatal(text)
	}
	i := Of(x)
	if i.Least != i.Most {
		t.Fatalf("%s has more than %d places", text, places)
	}
	return i.Least
}

func TestIntervalText(t *testing.T) {
	for _, test := range []struct{ least, most, want, oneIn string }{
		{"0", "0", "0", ""},
		{"1", "1", "1", "1"},
		{"0.25", "0.25", "0.2500000000", "4"},
		{"0.12345678905", "0.12345678905", "0.1234567891", "8"},
		{"0.123456", "0.123457", "0.12346", "8"},
		{"0.3", "0.6", "0.3 to 0.6", ""},
		{"0.4", "0.44", "0.4", ""},
		{"0.99999999999999999999", "1", "1.000000000", "1"},
		{"0.099999999999", "0.1", "0.1000000000", "10"},
		{"0", "0.00000000000000000000000000000000000001", "0 to 0.00000000000000000000000000000000000001", ""},
		{"0.00000000000000000000000000000000000012", "0.00000000000000000000000000000000000012",
			"0.00000000000000000000000000000000000012", "8333333333333333333333333333333333333"},
	} {
		i := Interval{parsed(t, test.least), parsed(t, test.most)}
		if got := i.String(); got != test.want {
			t.Errorf("[%s, %s]: %s, want %s", test.least, test.most, got, test.want)
		}
		if got := i.OneIn(); got != test.oneIn {
			t.Errorf("[%s, %s]: 1 in %s, want %s", test.least, test.most, got, test.oneIn)
		}
		if least, most := i.Ends(); least != test.least || most != test.most {
			t.Errorf("ends %s, %s of [%s, %s]", least, most, test.least, test.most)
		}
	}
}

func TestIntervalOfFraction(t *testing.T) {
	i := Of(big.NewRat(2, 3))
	if least, most := i.Ends(); least != "0.66666666666666666666666666666666666666" ||
		most != "0.66666666666666666666666666666666666667" || i.String() != "0.6666666667" {
		t.Errorf("%s to %s, %v", least, most, i)
	}
}
