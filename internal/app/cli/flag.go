package cli

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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

// OnlyOnce makes the flags of a command, and of the commands below it, refuse a second value. Otherwise the last value
// would count, and the question with the first one would be dropped in silence. Lists take as many values as are given.
func OnlyOnce(cmd *cobra.Command) {
	for _, set := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		set.VisitAll(func(f *pflag.Flag) {
			if _, list := f.Value.(pflag.SliceValue); !list {
				f.Value = &once{Value: f.Value}
			}
		})
	}
	for _, c := range cmd.Commands() {
		OnlyOnce(c)
	}
}

// once is a flag's value that is set at most once.
type once struct {
	pflag.Value
	given bool
}

// Set implements pflag.Value.
func (o *once) Set(text string) error {
	if o.given {
		return errors.New("it is given twice")
	}
	o.given = true
	return o.Value.Set(text)
}
