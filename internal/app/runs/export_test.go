package runs

// Totals is totals, for tests.
var Totals = totals
