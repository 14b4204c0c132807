package quantity

import (
	"fmt"
	"time"
)

// Duration is a time in seconds for people, with about two digits.
func Duration(seconds float64) string {
	switch d := time.Duration(seconds * float64(time.Second)); {
	case seconds > 1e9:
		return fmt.Sprintf("%.2g years", seconds/(365.25*86400))
	case d < time.Second:
		return "a second"
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d < 10*time.Minute:
		return d.Round(time.Second).String()
	case d < 48*time.Hour:
		return d.Round(time.Minute).String()
	default:
		return fmt.Sprintf("%.1f days", d.Hours()/24)
	}
}
