package ops

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// A Line is a line of a log in the form LogJSON or LogText.
type Line struct {
	Time    time.Time
	Level   string // in upper case, as slog writes it
	Message string
	// Attrs are the attributes, those of a group without its name. A duration is as the form has it: nanoseconds in
	// LogJSON.
	Attrs map[string]string
}

// maxLogLine bounds a line of a log, in bytes.
const maxLogLine = 1 << 20

// ReadLog passes the lines of a log to fn, with their numbers from 1. Where a line is none of a log, fn is given an
// error about it: it is too long, or not in either form. Blank lines are passed over. An error is one of r, or fn's.
func ReadLog(r io.Reader, fn func(number int, l *Line, bad error) error) error {
	b := bufio.NewReaderSize(r, maxLogLine)
	for number := 1; ; number++ {
		text, err := b.ReadSlice('\n')
		long := errors.Is(err, bufio.ErrBufferFull)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = b.ReadSlice('\n')
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		var l Line
		bad := fmt.Errorf("it is longer than %d bytes", maxLogLine)
		if text = bytes.TrimSpace(text); !long && len(text) > 0 {
			if l, bad = parseLine(text); bad != nil {
				bad = fmt.Errorf("%.60q is no line of a log in the form json or text", text)
			}
		}
		if len(text) > 0 {
			if err := fn(number, &l, bad); err != nil {
				return err
			}
		}
		if err != nil {
			return nil //nolint:nilerr // it is the end of r
		}
	}
}

var errNoLine = errors.New("no line of a log")

// parseLine reads a line in either form.
func parseLine(text []byte) (l Line, err error) {
	pairs := textPairs
	if text[0] == '{' {
		pairs = jsonPairs
	}
	l.Attrs = make(map[string]string)
	found := make(map[string]bool)
	err = pairs(text, func(key, value string) error {
		var err error
		switch key {
		case "time":
			l.Time, err = time.Parse(time.RFC3339Nano, value)
		case "level":
			l.Level = value
		case "msg":
			l.Message = value
		default:
			l.Attrs[key] = value
			return nil
		}
		if found[key] {
			err = errNoLine
		}
		found[key] = true
		return err
	})
	if err != nil || len(found) < 3 {
		return Line{}, errNoLine
	}
	return l, nil
}

// jsonPairs passes the members of an object to fn. Values that are neither texts, numbers nor truth values are passed
// as JSON.
func jsonPairs(text []byte, fn func(key, value string) error) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errNoLine
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return err
		}
		value := string(raw)
		if raw[0] == '"' {
			if err := json.Unmarshal(raw, &value); err != nil {
				return err
			}
		}
		if err := fn(key.(string), value); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errNoLine
	}
	return nil
}

// textPairs passes pairs KEY=VALUE with blanks between them to fn. Keys and values may be quoted.
func textPairs(text []byte, fn func(key, value string) error) error {
	rest := string(text)
	cut := func(end string) (word string, err error) {
		if strings.HasPrefix(rest, `"`) {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return "", err
			}
			if rest = rest[len(quoted):]; rest != "" && !strings.HasPrefix(rest, end) {
				return "", errNoLine
			}
			rest = strings.TrimPrefix(rest, end)
			return strconv.Unquote(quoted)
		}
		var found bool
		if word, rest, found = strings.Cut(rest, end); !found && end == "=" {
			return "", errNoLine
		}
		return word, nil
	}
	for rest != "" {
		key, err := cut("=")
		if err != nil {
			return err
		}
		value, err := cut(" ")
		if err != nil {
			return err
		}
		if err := fn(key, value); err != nil {
			return err
		}
	}
	return nil
}
