package cli

import (
	"fmt"
	"regexp"

	"pagoda/internal/puzzle/setting"
)

// badNumber is how the flag package reports a value that is no number: with the name of the function that read it.
var badNumber = regexp.MustCompile(`(?s)^invalid argument "(.*)" for "(?:-\w, )?(--[\w-]+)" flag: strconv\.\w+: ` +
	`parsing ".*": (invalid syntax|value out of range)`)

// PlainFlag makes the text of an error about a flag one for people, when it is about a number.
func PlainFlag(text string) string {
	m := badNumber.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	why := "not such a number as it takes"
	if m[3] != "invalid syntax" {
		why = "out of range"
	}
	return fmt.Sprintf("%s: %s is %s", m[2], setting.Quote(m[1]), why)
}
