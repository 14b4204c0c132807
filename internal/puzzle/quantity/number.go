package quantity

import (
	"fmt"
	"strings"
)

// Short is a number of about three digits: 950, 12.3k, 4.56M.
func Short(v float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= u.size {
			return fmt.Sprintf("%.3g%s", v/u.size, u.name)
		}
	}
	return fmt.Sprintf("%.3g", v)
}

// Grouped writes a whole number with commas between its thousands: 40,861,647,040,079,968.
func Grouped(digits string) string {
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}
