package cli

import (
	"testing"

	"github.com/spf13/cobra"
)

// TestOnlyOnce: a flag of one value is refused when it is given again, whatever its type, its spelling and
// the value. A list takes all that is given, and another call takes the flag again.
func TestOnlyOnce(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"below", "--text", "a"}, ""},
		{[]string{"below", "--text", "a", "--number", "1", "--list", "a", "--list", "b", "--all"}, ""},
		{[]string{"below", "--text", "a", "--text", "b"}, `invalid argument "b" for "-t, --text" flag: it is given twice`},
		{[]string{"below", "--text", "a", "-t", "a"}, `invalid argument "a" for "-t, --text" flag: it is given twice`},
		{[]string{"below", "--number=1", "--number=2"}, `invalid argument "2" for "--number" flag: it is given twice`},
		{[]string{"below", "--all", "--all=false"}, `invalid argument "false" for "--all" flag: it is given twice`},
		{[]string{"--wide", "below", "--wide"}, `invalid argument "true" for "--wide" flag: it is given twice`},
	} {
		root := &cobra.Command{Use: "root", SilenceErrors: true, SilenceUsage: true}
		root.PersistentFlags().Bool("wide", false, "")
		below := &cobra.Command{Use: "below", RunE: func(*cobra.Command, []string) error { return nil }}
		below.Flags().StringP("text", "t", "", "")
		below.Flags().Int("number", 0, "")
		below.Flags().Bool("all", false, "")
		list := below.Flags().StringArray("list", nil, "")
		root.AddCommand(below)
		OnlyOnce(root)
		root.SetArgs(test.args)
		got := ""
		if err := root.Execute(); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%q: %q, want %q", test.args, got, test.want)
		}
		if len(test.args) > 7 && len(*list) != 2 {
			t.Errorf("%q: the list has %q", test.args, *list)
		}
	}
}
