//go:build !long

package pegsolve

// stride is which problems of the list are decided: every third one, or all with -tags long (about a minute).
const stride = 3
