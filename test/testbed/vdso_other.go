//go:build linux && !amd64

package testbed

import "errors"

func patch(int, Skew) error { return errors.ErrUnsupported }
