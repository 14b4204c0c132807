//go:build !long

package solve

// stride is which problems of the list are decided: every eighth one, or all with -tags long (some two minutes).
const stride = 8
