package transfer

import (
	"fmt"
	"strconv"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
)

const (
	maxURI = 1024
	maxRun = 64
)

// A Request asks for the blocks of a window.
type Request struct {
	Run    string // letters, digits, '_', '-'; not beginning with the last two
	Window puzzle.WindowID
	Digest blocks.Digest
	From   uint64 // blocks from this address on
}

// URI is the one spelling of r, path and query.
func (r *Request) URI() string {
	var b strings.Builder
	b.Grow(192)
	b.WriteString("/v1/runs/")
	b.WriteString(r.Run)
	b.WriteString("/windows/")
	b.WriteString(r.Window.String())
	b.WriteString("?digest=")
	b.WriteString(r.Digest.String())
	b.WriteString("&from=")
	b.WriteString(strconv.FormatUint(r.From, 10))
	return b.String()
}

// ParseRequest reads what URI writes, and nothing else: no escapes, no dots, no other order. No part of it is ever used
// as the name of a file.
func ParseRequest(uri string) (Request, error) {
	r, ok := parseRequest(uri)
	if !ok || r.URI() != uri {
		return Request{}, fmt.Errorf("%.80q is not a request for a window", uri)
	}
	return r, nil
}

func parseRequest(uri string) (r Request, ok bool) {
	if len(uri) > maxURI {
		return r, false
	}
	path, query, ok := strings.Cut(uri, "?")
	if !ok {
		return r, false
	}
	rest, ok := strings.CutPrefix(path, "/v1/runs/")
	if !ok {
		return r, false
	}
	r.Run, rest, ok = strings.Cut(rest, "/windows/")
	if !ok || !validRun(r.Run) {
		return r, false
	}
	id, err := puzzle.ParseWindowID(rest)
	if err != nil {
		return r, false
	}
	r.Window = id
	digest, from, ok := strings.Cut(strings.TrimPrefix(query, "digest="), "&from=")
	if !ok || r.Digest.UnmarshalText([]byte(digest)) != nil {
		return r, false
	}
	r.From, err = strconv.ParseUint(from, 10, 64)
	return r, err == nil
}

func validRun(s string) bool {
	if s == "" || len(s) > maxRun || s[0] == '_' || s[0] == '-' {
		return false
	}
	for _, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}
