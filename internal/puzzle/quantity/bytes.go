package quantity

import "fmt"

// Bytes writes a size with three digits and a binary unit.
func Bytes(n uint64) string {
	if n < 1<<10 {
		return fmt.Sprintf("%d B", n)
	}
	v, unit := float64(n), -1
	for v >= 1023.5 && unit < 5 {
		v /= 1024
		unit++
	}
	switch {
	case v < 9.995:
		return fmt.Sprintf("%.2f %ciB", v, "KMGTPE"[unit])
	case v < 99.95:
		return fmt.Sprintf("%.1f %ciB", v, "KMGTPE"[unit])
	}
	return fmt.Sprintf("%.0f %ciB", v, "KMGTPE"[unit])
}
