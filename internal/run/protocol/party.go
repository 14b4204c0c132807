package protocol

import "strings"

// In a run with credentials a worker's name is LABEL~KEY. KEY is the fingerprint of its public key, which it cannot
// choose, and LABEL tells apart the processes that share the key. All of them are one party: they answer for each
// other, and count once. A name without a key, in a run without credentials, is a party of its own.

// keyMark stands between label and key; fingerprintLen is the length of a key's fingerprint.
const keyMark, fingerprintLen = "~", 12

// Named returns the name of the worker with a label and the fingerprint of a key, "" for none.
func Named(label, fingerprint string) string {
	if fingerprint == "" {
		return label
	}
	return label + keyMark + fingerprint
}

// Fingerprint returns that of a worker's key, "" when its name has none.
func Fingerprint(worker string) string {
	_, fingerprint, _ := strings.Cut(worker, keyMark)
	return fingerprint
}

// Party names the party that a worker belongs to: *~KEY, or its name when that has no key. The party of a party is
// itself.
func Party(worker string) string {
	if fingerprint := Fingerprint(worker); fingerprint != "" {
		return "*" + keyMark + fingerprint
	}
	return worker
}

// ValidLabel reports whether s can be the label of a worker: up to 115 letters, digits, '.', '_' and '-', a letter or
// digit first.
func ValidLabel(s string) bool { return validName(s, maxNameLen-len(keyMark)-fingerprintLen) }

// ValidWorker reports whether s can name a worker: a label, or a label and the fingerprint of a key.
func ValidWorker(s string) bool {
	label, fingerprint, keyed := strings.Cut(s, keyMark)
	if !keyed {
		return validName(s, maxNameLen)
	}
	notBase32 := func(c rune) bool { return (c < 'a' || c > 'z') && (c < '2' || c > '7') }
	return ValidLabel(label) && len(fingerprint) == fingerprintLen && strings.IndexFunc(fingerprint, notBase32) < 0
}
