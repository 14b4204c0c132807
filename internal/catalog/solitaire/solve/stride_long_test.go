//go:build long

package solve

const stride = 1
