package main

import (
	"errors"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pagoda/internal/app/cli"
	"pagoda/internal/puzzle/setting"
)

// flagForm is the form of a flag, known or mistyped.
var flagForm = regexp.MustCompile(`(?s)^-+[A-Za-z][A-Za-z0-9_-]*(=.*)?$`)

// rowForm is a row of a board that looks like a flag and is none: no flag is spelled with o and - alone. A single o may
// be meant as one, so -o and --o are no rows.
var rowForm = regexp.MustCompile(`^-[o-]*o-*o[o-]*$`)

// flagsFirst moves the flags of a command in front of its arguments, and puts -- between them. Arguments may begin with
// -, as drawings of boards without a hole in the corner do, and would be taken for flags. Neither flags nor arguments
// change their order among themselves: the first drawing is a start, and the second a goal.
func flagsFirst(root *cobra.Command, args []string) []string {
	cmd, rest, err := root.Find(args)
	if err != nil || cmd.HasSubCommands() {
		return args // it names no command, and the error will say so
	}
	cmd.InheritedFlags() // from now on its own flags contain them
	flags := strings.Fields(cmd.CommandPath())[1:]
	var others []string
	for len(rest) > 0 {
		arg := rest[0]
		rest = rest[1:]
		if arg == "--" {
			others = append(others, rest...)
			break
		}
		known, value := knownFlag(cmd, arg)
		if !known && (!flagForm.MatchString(arg) || rowForm.MatchString(arg)) {
			others = append(others, arg)
			continue
		}
		flags = append(flags, arg)
		if value && len(rest) > 0 {
			flags, rest = append(flags, rest[0]), rest[1:]
		}
	}
	if len(others) == 0 {
		return flags
	}
	return append(append(flags, "--"), others...)
}

// knownFlag reports whether an argument is a flag of a command, and whether its value comes with the next argument.
func knownFlag(cmd *cobra.Command, arg string) (known, value bool) {
	if long, ok := strings.CutPrefix(arg, "--"); ok {
		name, _, joined := strings.Cut(long, "=")
		f := cmd.Flags().Lookup(name)
		return f != nil, f != nil && !joined && f.NoOptDefVal == ""
	}
	letters, ok := strings.CutPrefix(arg, "-")
	for i := 0; ok && i < len(letters); i++ {
		f := cmd.Flags().ShorthandLookup(letters[i : i+1])
		if f == nil {
			break
		}
		known = true
		if f.NoOptDefVal == "" {
			return true, i == len(letters)-1
		}
	}
	return known, false
}

// flagError adds to the error about an unknown flag the one that was probably meant, and how an argument is given that
// looks like a flag.
func flagError(cmd *cobra.Command, err error) error {
	var e *pflag.NotExistError
	if !errors.As(err, &e) {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	name := e.GetSpecifiedName()
	if letters := e.GetSpecifiedShortnames(); letters != "" {
		name, _, _ = strings.Cut(letters, "=")
	}
	hint := cmd.CommandPath() + " --help lists the flags;"
	if near, ok := setting.Nearest(name, names); ok {
		hint = "did you mean --" + near + "?"
	}
	if _, args, _ := strings.Cut(cmd.Use, " "); args != "" {
		hint += " an argument that looks like a flag goes behind --, with all that follow it"
	}
	return cli.Hint(&cli.UsageError{Err: err}, strings.TrimSuffix(hint, ";"))
}
