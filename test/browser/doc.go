// Package browser tests the page of coordinator explore in Chromium, with the programs as they are built. It stands in
// a module of its own. tools/browser-test installs Chromium and runs it.
package browser
