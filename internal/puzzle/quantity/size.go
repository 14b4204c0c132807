package quantity

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// Size writes a number of bytes as Kubernetes does, exactly: 512Mi, 3Gi.
func Size(bytes uint64) string {
	for _, u := range []struct {
		shift int
		name  string
	}{{40, "Ti"}, {30, "Gi"}, {20, "Mi"}, {10, "Ki"}} {
		if bytes != 0 && bytes%(1<<u.shift) == 0 {
			return fmt.Sprintf("%d%s", bytes>>u.shift, u.name)
		}
	}
	return fmt.Sprint(bytes)
}

var sizeForm = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)([KMGTP]i|[kMGTP])?$`)

// ParseSize reads a size in bytes: 512Mi, 1.5Gi, 20G.
func ParseSize(text string) (uint64, error) {
	m := sizeForm.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%.40q is not a size such as 512Mi, 20Gi or 1Ti", text)
	}
	v, ok := new(big.Rat).SetString(m[1])
	if !ok {
		return 0, fmt.Errorf("%.40q is not a size such as 512Mi, 20Gi or 1Ti", text)
	}
	unit, base := m[2], int64(1000)
	if strings.HasSuffix(unit, "i") {
		base = 1024
	}
	power := int64(0)
	if unit != "" {
		power = int64(strings.Index("KMGTP", strings.ToUpper(unit[:1]))) + 1
	}
	v.Mul(v, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(base), big.NewInt(power), nil)))
	n := new(big.Int).Quo(v.Num(), v.Denom())
	if !n.IsUint64() || n.Uint64() > 1<<60 {
		return 0, fmt.Errorf("%.40q is more than an exbibyte", text)
	}
	return n.Uint64(), nil
}
