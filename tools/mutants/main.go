// Mutants tells how much the tests of a package notice. It changes the package at random, one change at a time, and
// runs the package's own tests on each: a change that they let pass survives, and is printed with its line.
//
//	go run -C tools ./mutants -root .. -n 20 -seed 1 ./internal/kv
//
// The sources are never touched: the changed file reaches the compiler with go test -overlay. A change that does not
// compile, or compiles to the same machine code, does not count, and another one is drawn for it.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

type options struct {
	root   string
	n      int
	seed   uint64
	at     string
	args   []string // of every test binary
	memory uint64   // GiB of addresses that a process may take
}

func main() {
	var o options
	var args string
	flag.StringVar(&o.root, "root", ".", "`folder` of the module")
	flag.IntVar(&o.n, "n", 20, "changes of each package that count")
	flag.Uint64Var(&o.seed, "seed", 0, "of the random choices; 0: a new one")
	flag.StringVar(&o.at, "at", "", "all changes of one line, as `file.go:12`, and no random ones")
	flag.StringVar(&args, "args", "", "`flags` of the test binaries, as in -test.short")
	flag.Uint64Var(&o.memory, "memory", 16, "GiB of addresses that a process may take")
	flag.Parse()
	o.args = strings.Fields(args)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o, flag.Args(), os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, patterns []string, out io.Writer) error {
	if len(patterns) == 0 {
		return errors.New("no package is named; name one, as in ./internal/kv")
	}
	for o.seed == 0 {
		o.seed = rand.Uint64N(1 << 32)
	}
	root, err := filepath.Abs(o.root)
	if err != nil {
		return err
	}
	o.root = root
	// A changed bound can ask for all memory of the machine.
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		return err
	}
	limit.Cur = min(o.memory<<30, limit.Max)
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		return err
	}
	packages, err := list(ctx, o.root, patterns)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "seed %d\n", o.seed)
	var table strings.Builder
	for _, p := range packages {
		if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			fmt.Fprintf(&table, "%-45s has no tests\n", p.ImportPath)
			continue
		}
		r, err := p.hunt(ctx, o, out)
		if err != nil {
			return err
		}
		fmt.Fprintf(&table, "%-45s %4d tried, %4d killed, %4d survived; not counted: %d do not compile, %d same code\n",
			p.ImportPath, r[killed]+r[survived], r[killed], r[survived], r[notCompiled], r[sameCode])
	}
	_, err = fmt.Fprintf(out, "\n%s", table.String())
	return err
}

// A goPackage is what go list says of a package.
type goPackage struct {
	Dir, ImportPath                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
	TestImports, XTestImports          []string
}

func list(ctx context.Context, root string, patterns []string) (packages []goPackage, err error) {
	fields := "-json=Dir,ImportPath,GoFiles,TestGoFiles,XTestGoFiles,TestImports,XTestImports"
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", fields}, patterns...)...)
	cmd.Dir = root
	var said bytes.Buffer
	cmd.Stderr = &said
	answer, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, said.Bytes())
	}
	for d := json.NewDecoder(bytes.NewReader(answer)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages = append(packages, p)
	}
}

// hunt tries changes of the package, and returns how often each outcome came.
func (p *goPackage) hunt(ctx context.Context, o options, out io.Writer) (count [survived + 1]int, err error) {
	var all []place
	for _, name := range p.GoFiles {
		places, err := placesOf(filepath.Join(p.Dir, name))
		if err != nil {
			return count, err
		}
		all = append(all, places...)
	}
	temp, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return count, err
	}
	defer os.RemoveAll(temp)
	args := o.args
	if slices.Contains(append(p.TestImports, p.XTestImports...), "pgregory.net/rapid") {
		args = append(slices.Clone(args), "-rapid.nofailfile") // which would go into the sources
	}
	b, err := open(ctx, o.root, p.Dir, p.ImportPath, temp, args)
	if err != nil {
		return count, err
	}
	changes := draw(all, o)
	if len(changes) == 0 {
		return count, fmt.Errorf("%s: nothing to change at %q", p.ImportPath, o.at)
	}
	for _, c := range changes {
		if o.at == "" && count[killed]+count[survived] == o.n {
			break
		}
		got, why, err := b.try(ctx, &c)
		if err != nil {
			return count, err
		}
		count[got]++
		name := strings.TrimPrefix(c.file, o.root+"/")
		switch got {
		case killed:
			fmt.Fprintf(out, "killed    %s:%d: %s (%s)\n", name, c.line, c.what, why)
		case survived:
			fmt.Fprintf(out, "SURVIVED  %s:%d: %s\n%s", name, c.line, c.what, diff(&c))
		}
	}
	return count, nil
}

// draw returns one change of every place, in random order; or every change of the line that was asked for.
func draw(all []place, o options) (changes []change) {
	r := rand.New(rand.NewPCG(o.seed, 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, p := range all {
		switch {
		case o.at == "":
			changes = append(changes, p[r.IntN(len(p))])
		case p[0].at(o.at):
			changes = append(changes, p...)
		}
	}
	return changes
}

// diff returns the lines that a change touches, before and after.
func diff(c *change) string {
	source, err := os.ReadFile(c.file)
	if err != nil {
		return fmt.Sprintf("\t%v\n", err)
	}
	first := bytes.LastIndexByte(source[:c.from], '\n') + 1
	end := c.to
	if i := bytes.IndexByte(source[c.to:], '\n'); i >= 0 {
		end += i
	}
	var lines strings.Builder
	for _, side := range []struct{ sign, text string }{
		{"-", string(source[first:end])},
		{"+", string(source[first:c.from]) + c.text + string(source[c.to:end])},
	} {
		for line := range strings.SplitSeq(side.text, "\n") {
			fmt.Fprintf(&lines, "\t%s%s\n", side.sign, line)
		}
	}
	return lines.String()
}
