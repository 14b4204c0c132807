// Package check runs tools/check-results, the checker in Python that shares no code with the program, on certificates
// and leaves of real runs. The checker must agree with these, and name the place in each that was tampered with.
package check
