package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"pgregory.net/rapid"

	"pagoda/internal/catalog"
)

// TestFlagsFirst pins which arguments count as flags.
func TestFlagsFirst(t *testing.T) {
	a := &app{catalog: catalog.All}
	for args, want := range map[string]string{
		"peg query --data d start":                  "peg query --data d -- start",
		"peg query --ooo/.../--. --data d":          "peg query --data d -- --ooo/.../--.",
		"peg query --data d -- ----./---o-o":        "peg query --data d -- ----./---o-o",
		"peg query --data=d --output json -.-":      "peg query --data=d --output json -- -.-",
		"peg sample -n 3 --data -.-":                "peg sample -n 3 --data -.-",
		"peg sample -n3 --seed -1 -5":               "peg sample -n3 --seed -1 -- -5",
		"peg feasible --.o/ooo r0c3 --out --":       "peg feasible --out -- -- --.o/ooo r0c3",
		"peg feasible --output json -- --output x":  "peg feasible --output json -- --output x",
		"peg feasible a -- b -- c":                  "peg feasible -- a b -- c",
		"peg --board ooo feasible -oo. 0x1":         "peg feasible --board ooo -- -oo. 0x1",
		"peg feasible -oo --o-o -o --o -oo=":        "peg feasible -o --o -oo= -- -oo --o-o",
		"peg feasible --bord english -bord= center": "peg feasible --bord -bord= -- english center",
		"peg feasible ---board -Board --with_line":  "peg feasible ---board -Board --with_line",
		"tiles solve RV/BW --out - --limit -1":      "tiles solve --out - --limit -1 -- RV/BW",
		"peg query":                                 "peg query",
		"run --set -- -x.yaml":                      "run --set -- -- -x.yaml",
		"k8s stop run --namespace -n -nx":           "k8s stop --namespace -n -nx -- run",
		"k8s -v stop run -v":                        "k8s stop -v -v -- run",
		"none query --ooo/... --data d":             "none query --ooo/... --data d",
		"peg none --ooo/... --data d":               "peg none --ooo/... --data d",
		"help peg":                                  "help peg",
	} {
		got := flagsFirst(a.root(), strings.Fields(args))
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s\nbecomes %s\nwant    %s", args, strings.Join(got, " "), want)
		}
	}
}

// TestAnyOrder puts the flags of every command, and of every question of every puzzle, anywhere among its arguments.
// The arguments must keep their order and the flags their values, whatever both look like.
func TestAnyOrder(t *testing.T) {
	argument := rapid.OneOf(
		rapid.SampledFrom([]string{"center", "r0c3", "0x1f", "x00ff", "start", "-", "-1", "file.yaml", "-file.yaml", "-/x",
			""}),
		rapid.StringMatching(`[-o.*/]{0,6}[.*/][-o.*/]{0,6}`),
		rapid.StringMatching(`-[-o]{0,3}oo[-o]{0,3}`),
		rapid.StringMatching(`-{0,2}[o.]{1,3}(\n[-o.]{3}){1,3}`),
	)
	behind := rapid.OneOf(argument,
		rapid.SampledFrom([]string{"--", "--board", "--output=json", "-o", "--o", "-n3", "--help"}))
	var commands []string
	for _, cmd := range leaves((&app{catalog: catalog.All}).root()) {
		commands = append(commands, cmd.CommandPath())
	}
	if !slices.Contains(commands, "coordinator peg feasible") || !slices.Contains(commands, "coordinator k8s stop") {
		t.Fatalf("the commands are %q", commands)
	}
	rapid.Check(t, func(t *rapid.T) {
		root := (&app{catalog: catalog.All}).root()
		path := strings.Fields(rapid.SampledFrom(commands).Draw(t, "command"))[1:]
		cmd, _, err := root.Find(path)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		cmd.InheritedFlags()
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		args, values := slices.Clone(path), map[string]string{}
		var want []string
		for range rapid.IntRange(0, 6).Draw(t, "arguments and flags") {
			if len(names) == 0 || rapid.Bool().Draw(t, "argument") {
				arg := argument.Draw(t, "argument")
				args, want = append(args, arg), append(want, arg)
				continue
			}
			f := cmd.Flags().Lookup(rapid.SampledFrom(names).Draw(t, "flag"))
			if _, given := values[f.Name]; !given {
				var flag []string
				flag, values[f.Name] = drawFlag(t, f, behind)
				args = append(args, flag...)
			}
		}
		if rapid.Bool().Draw(t, "--") {
			rest := rapid.SliceOfN(behind, 0, 3).Draw(t, "behind --")
			args, want = append(append(args, "--"), rest...), append(want, rest...)
		}
		found, rest, err := root.Find(flagsFirst(root, args))
		if err != nil || found != cmd {
			t.Fatalf("%q: %v, %v", args, found.CommandPath(), err)
		}
		if err := cmd.ParseFlags(rest); err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		if got := cmd.Flags().Args(); !slices.Equal(got, want) {
			t.Fatalf("%q: the arguments are %q, want %q", args, got, want)
		}
		for _, name := range names {
			f := cmd.Flags().Lookup(name)
			got := f.Value.String()
			if list, ok := f.Value.(pflag.SliceValue); ok && f.Changed {
				got = list.GetSlice()[0]
			}
			if value, given := values[name]; f.Changed != given || given && got != value {
				t.Fatalf("%q: flag %s is %q, want %q", args, name, got, value)
			}
		}
	})
}

// drawFlag draws one of the ways to write a flag, with a value that it takes.
func drawFlag(t *rapid.T, f *pflag.Flag, text *rapid.Generator[string]) (args []string, value string) {
	switch value = "3"; f.Value.Type() {
	case "bool":
		return []string{"--" + f.Name}, "true"
	case "duration":
		value = "3s"
	case "string", "stringArray", "text", "choice":
		value = text.Draw(t, "value")
	}
	name, joined := "--"+f.Name, rapid.Bool().Draw(t, "joined")
	if f.Shorthand != "" && rapid.Bool().Draw(t, "short") {
		name = "-" + f.Shorthand
	}
	if joined {
		return []string{name + "=" + value}, value
	}
	return []string{name, value}, value
}

// leaves are the commands that have none below them.
func leaves(cmd *cobra.Command) (list []*cobra.Command) {
	for _, sub := range cmd.Commands() {
		list = append(list, leaves(sub)...)
	}
	if !cmd.HasSubCommands() {
		list = append(list, cmd)
	}
	return list
}
