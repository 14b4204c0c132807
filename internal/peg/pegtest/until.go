package pegtest

import (
	"testing"

	"pgregory.net/rapid"
)

// mostRounds bounds the rounds of [CheckUntil]. A branch that one round in three draws is missed by all of them with a
// probability of 10^-17.
const mostRounds = 100

// CheckUntil checks a property round by round, until enough reports that all branches of the test have been drawn. A
// single round may miss one by chance; a test that failed then would fail without a fault.
func CheckUntil(t *testing.T, enough func() bool, property func(*rapid.T)) {
	t.Helper()
	for range mostRounds {
		rapid.Check(t, property)
		if enough() {
			return
		}
	}
	t.Errorf("%d rounds of draws, and not enough: the test does not reach its purpose", mostRounds)
}
