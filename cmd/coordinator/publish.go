package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"pagoda/internal/app/cli"
	"pagoda/internal/output/book"
	"pagoda/internal/output/export"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/run/rundir"
)

// publishFlags are the flags of publish.
type publishFlags struct {
	data, records []string
	out, title    string
}

func (a *app) publishCommand() *cobra.Command {
	var f publishFlags
	cmd := &cobra.Command{
		Use:   "publish --data DIR | --record FILE",
		Short: "make a book of results: a static site with a page for each, to read and to cite",
		Long: `Make a book of results: a static site in the folder --out, with an index and a page for each result. A page has
the exact numbers, tables and charts, the settings and commands that repeat the run, its certificate and how to check
it, how to cite it, and files to download. The site needs no server and no script: it works from a folder and on any
host, under any prefix.

--data names the data folder of a complete run, or a folder of such folders, as batch makes one: of these the complete
runs are published, and the others are named on stderr. --record names a record.json of an earlier book: the page is
made from it alone, byte for byte, without the run. Each may be given several times. A record that contradicts itself
or its certificate is refused.

--out must not exist, or be empty, or hold a book that publish made and that was not changed since: that one is replaced
as a whole when the new one is complete. The bytes of a book depend on its title and its results alone.`,
		Example: `  coordinator publish --data runs --out book
  coordinator publish --data runs/english-0123456789ab --data runs/french-0123456789ab --out book
  coordinator publish --record book/english-0123456789ab/record.json --data runs --out book2 --title 'Peg solitaire'`,
		Args: cobra.NoArgs,
		RunE: a.action(func(ctx context.Context, _ []string) error { return a.publish(ctx, &f) }),
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.data, "data", nil, "data `folder` of a run, or a folder of them; may be given several times")
	flags.StringArrayVar(&f.records, "record", nil, "`file` record.json of a book; may be given several times")
	flags.StringVar(&f.out, "out", "", "`folder` of the book")
	flags.StringVar(&f.title, "title", "A book of results", "`title` of the book")
	if err := errors.Join(cmd.MarkFlagDirname("data"), cmd.MarkFlagDirname("out"),
		cmd.MarkFlagFilename("record", "json")); err != nil {
		panic(err) // the flags are defined above
	}
	return cmd
}

// publish makes a book.
func (a *app) publish(ctx context.Context, f *publishFlags) error {
	switch {
	case f.out == "":
		return usage("no --out is given", "name the folder of the book: --out book")
	case len(f.data)+len(f.records) == 0:
		return usage("neither --data nor --record is given", "name the data folder of a complete run: --data runs/NAME-RUN")
	case f.title == "":
		return usage("--title is empty", "leave it out, or name the book")
	}
	out, err := export.CreateFolder(f.out, book.Sums)
	if err != nil {
		return adviseBook(err)
	}
	defer out.Abort()
	c := collection{app: a, from: map[string]string{}}
	if err := c.collect(ctx, f); err != nil {
		return err
	}
	files, err := book.Site(f.title, c.records)
	if err != nil {
		return err
	}
	for _, file := range files {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := out.Write(file.Path, file.Data); err != nil {
			return adviseBook(err)
		}
	}
	if err := out.Replace(); err != nil {
		return adviseBook(err)
	}
	return a.print(fmt.Appendf(nil, "%s and an index in %s: open %s in a browser\n",
		plural.Of(len(c.records), "page"), f.out, filepath.Join(f.out, "index.html")))
}

// adviseBook adds advice to an error about the folder of the book.
func adviseBook(err error) error {
	if errors.Is(err, export.ErrOccupied) {
		return cli.Hint(&cli.UsageError{Err: err}, "choose another folder with --out, or move the file away")
	}
	return cli.Hint(&cli.UsageError{Err: err}, "choose a folder with --out whose parent exists and can be written to")
}

// A collection is records, each of another run.
type collection struct {
	*app
	records []*book.Record
	from    map[string]string // run: the folder or the file that it came from
}

// collect reads all that is to be published.
func (c *collection) collect(ctx context.Context, f *publishFlags) error {
	for _, dir := range f.data {
		if err := c.folder(ctx, dir); err != nil {
			return err
		}
	}
	for _, path := range f.records {
		b, err := readNamed(ctx, "--record", path, book.MaxBytes)
		if err != nil {
			return err
		}
		if err := c.add(ctx, path, b); err != nil {
			return err
		}
	}
	return nil
}

// folder adds the run in a folder, or the complete runs in the folders in it.
func (c *collection) folder(ctx context.Context, dir string) error {
	if rundir.Holds(dir) {
		return c.run(ctx, dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return cli.AdviseFolder(err, dir)
	}
	before := len(c.records)
	for _, e := range entries {
		inner := filepath.Join(dir, e.Name())
		if !rundir.Holds(inner) {
			continue
		}
		err := c.run(ctx, inner)
		if errors.Is(err, puzzle.ErrIncomplete) {
			_, _ = fmt.Fprintf(c.stderr, "left out: %v\n", err)
			continue
		}
		if err != nil {
			return err
		}
	}
	if len(c.records) == before {
		return usage(fmt.Sprintf("--data %s: there is no complete run in it", dir),
			"name the data folder of a complete run, or a folder of such folders")
	}
	return nil
}

// run adds the run in a folder.
func (c *collection) run(ctx context.Context, dir string) error {
	r, err := c.loader().Record(ctx, dir)
	if err != nil {
		return err
	}
	b, err := r.Encode()
	if err != nil {
		return err
	}
	return c.add(ctx, dir, b)
}

// add adds a record, which is read and checked wherever it comes from.
func (c *collection) add(ctx context.Context, from string, text []byte) error {
	r, err := await(ctx, func() (*book.Record, error) { return book.Decode(text) })
	if err == nil {
		err = c.loader().CheckRecord(ctx, r)
	}
	switch {
	case errors.Is(err, book.ErrRecord):
		return cli.Hint(fmt.Errorf("%s: %w: %w", from, cli.ErrUnverified, err),
			"a record is record.json of a book, unchanged; publish --data makes it from the run")
	case err != nil:
		return err
	}
	run := r.Certificate.Run
	if other, ok := c.from[run]; ok {
		return usage(fmt.Sprintf("%s and %s are the same run %s", other, from, run), "leave one of them out")
	}
	c.from[run] = from
	c.records = append(c.records, r)
	return nil
}
