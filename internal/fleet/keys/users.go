package keys

import (
	"fmt"
	"strings"

	"github.com/nats-io/nkeys"
)

// maxUsers bounds the users of a fleet.
const maxUsers = 10_000

// formatUsers writes a line for each user: public nkey, role and, if it is bound to one, run.
func formatUsers(users []Identity) []byte {
	var b strings.Builder
	for _, u := range users {
		fmt.Fprintf(&b, "%s %s", u.Key, u.Role)
		if u.Run != "" {
			b.WriteString(" " + u.Run)
		}
		b.WriteByte('\n')
	}
	return []byte(b.String())
}

// parseUsers reads what formatUsers wrote. No two users have the same key or the same fingerprint.
func parseUsers(text string) ([]Identity, error) {
	var users []Identity
	seen := make(map[string]bool)
	line := 0
	for l := range strings.Lines(text) {
		line++
		f := strings.Fields(l)
		if len(f) == 0 {
			continue
		}
		if len(f) > 3 || len(f) < 2 {
			return nil, fmt.Errorf("line %d has %d words, want a key, a role and perhaps a run", line, len(f))
		}
		u := Identity{Key: f[0], Role: Role(f[1])}
		if len(f) == 3 {
			u.Run = f[2]
		}
		switch {
		case !nkeys.IsValidPublicUserKey(u.Key):
			return nil, fmt.Errorf("line %d: %.60q is no public key of a user", line, u.Key)
		case u.Role != Coordinator && u.Role != Worker:
			return nil, fmt.Errorf("line %d: %.60q is neither %s nor %s", line, u.Role, Coordinator, Worker)
		case len(f) == 3 && !ValidRun(u.Run):
			return nil, fmt.Errorf("line %d: %.70q is no run ID", line, u.Run)
		case seen[Fingerprint(u.Key)]:
			return nil, fmt.Errorf("line %d: key %s, or its fingerprint, stands twice", line, u.Key)
		case len(users) == maxUsers:
			return nil, fmt.Errorf("more than %d users", maxUsers)
		}
		seen[Fingerprint(u.Key)] = true
		users = append(users, u)
	}
	return users, nil
}
