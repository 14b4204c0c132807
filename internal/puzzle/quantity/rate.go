package quantity

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// ParseRate reads a rate, in bytes a second: a number with bit or B, with a prefix of either kind (10Gbit, 1.25GB,
// 112MiB), which /s may follow. A number alone is MiB. Other units are refused: 10Gb may mean bits or bytes.
func ParseRate(text string) (float64, error) {
	number := strings.TrimRight(strings.TrimSuffix(text, "/s"), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
	unit := strings.TrimSpace(strings.TrimSuffix(text[len(number):], "/s"))
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return 0, errors.New("want a number above 0, and a unit")
	}
	if unit == "" {
		if strings.HasSuffix(text, "/s") {
			return 0, errors.New("there is no unit before /s")
		}
		return v * (1 << 20), nil
	}
	bytes := 1.
	prefix, isBytes := strings.CutSuffix(unit, "B")
	if !isBytes {
		var isBits bool
		if prefix, isBits = strings.CutSuffix(unit, "bit"); !isBits {
			return 0, errors.New("the unit is neither bit nor B")
		}
		bytes = 1. / 8
	}
	scale, ok := map[string]float64{
		"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40,
	}[prefix]
	if !ok {
		return 0, errors.New("there is no such prefix of a unit")
	}
	return v * bytes * scale, nil
}
