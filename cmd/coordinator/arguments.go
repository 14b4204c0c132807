package main

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// flagForm is what a flag of a question looks like.
var flagForm = regexp.MustCompile(`^(--[a-z][a-z0-9-]*(=.*)?|-[a-z]([0-9].*|=.*)?|--)$`)

// argumentsLast moves arguments of a question that begin with - and cannot be flags, such as drawings of boards without
// a hole in the corner, behind all flags, for which they would be taken.
func argumentsLast(root *cobra.Command, args []string) []string {
	if len(args) < 3 {
		return args
	}
	cmd, rest, err := root.Find(args[:2])
	if err != nil || len(rest) > 0 || cmd.Parent() == nil || cmd.Parent() == root {
		return args
	}
	var flags, others []string
	value := false // the next argument is a flag's
	for i, arg := range args[2:] {
		if arg == "--" && !value {
			others = append(others, args[2+i+1:]...)
			break
		}
		if !value && arg != "-" && strings.HasPrefix(arg, "-") && !flagForm.MatchString(arg) {
			others = append(others, arg)
			continue
		}
		flags = append(flags, arg)
		value = !value && takesValue(cmd, arg)
	}
	out := append(append([]string{}, args[:2]...), flags...)
	if len(others) == 0 {
		return out
	}
	return append(append(out, "--"), others...)
}

// takesValue reports whether an argument is a flag whose value comes with the next one.
func takesValue(cmd *cobra.Command, arg string) bool {
	name, isFlag := strings.CutPrefix(arg, "--")
	if isFlag {
		f := cmd.Flags().Lookup(name) // nil when there is a value in it
		return f != nil && f.NoOptDefVal == ""
	}
	if len(arg) == 2 && arg[0] == '-' {
		f := cmd.Flags().ShorthandLookup(arg[1:])
		return f != nil && f.NoOptDefVal == ""
	}
	return false
}
