//go:build long

package pegsolve

const stride = 1
