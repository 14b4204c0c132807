package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/fleet/objects"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/output/export"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/run/pause"
)

// resultTables stands for all tables of the results, whatever their names.
const resultTables = "results"

// A finalExport writes files to a folder, or objects to a bucket, below a name that is the run's own. It runs when all
// windows are committed, before the run is complete. It replaces a file that is there by the same bytes.
type finalExport struct {
	out             *outputs
	below           string // folder or URL
	tables, formats []string
	// stays says that the process stays until it is told to stop, and so tries again for as long as that.
	stays bool
}

// finalFormats are the formats of a final export: those that show all columns of a table.
var finalFormats = []string{
	string(export.CSV), string(export.JSONL), string(export.Parquet), string(export.Markdown),
}

// newFinalExport reads the export settings and checks that a bucket can be used. It returns nil if the config asks for
// no export. A server that is merely away is no reason not to begin.
func newFinalExport(ctx context.Context, j *runs.Job) (*finalExport, error) {
	c := j.Config
	dest := c.Text("export")
	if dest == "" {
		return nil, nil
	}
	wrong := func(key, hint, format string, args ...any) error {
		return c.Locate(&setting.Error{Setting: key, Err: fmt.Errorf(format, args...), Hint: hint})
	}
	e := &finalExport{tables: listed(c.Text("export_tables")), formats: listed(c.Text("export_formats"))}
	if len(e.tables) == 0 || len(e.formats) == 0 {
		return nil, wrong("export", "write export_tables: results and export_formats: csv", "no table or no format is named")
	}
	for _, f := range e.formats {
		if !slices.Contains(finalFormats, f) {
			return nil, wrong("export_formats", "write one or several of "+strings.Join(finalFormats, ","),
				"%s is not %s", setting.Quote(f), setting.List(finalFormats))
		}
	}
	for _, t := range e.tables {
		what := runs.Selection{Table: t}
		if t == runs.LeavesTable && !slices.Equal(e.formats, []string{string(export.JSONL)}) {
			return nil, wrong("export_formats", "write export_formats: jsonl", "%s are JSON lines, and nothing else", t)
		}
		if !what.Rows() {
			continue
		}
		if _, ok := j.Puzzle.(puzzle.Exporter); !ok {
			return nil, wrong("export_tables", "write export_tables: results", "puzzle %s stores no rows that could be shown",
				j.Definition.Name)
		}
		if r := c.Text("retention"); r != "all" {
			return nil, wrong("export_tables", "write retention: all, or export_tables: results",
				"%s has the rows of all layers, which retention: %s drops", t, r)
		}
	}
	e.out = &outputs{replace: true, spill: j.Dir}
	if objects.IsURL(dest) {
		store, err := openStore(ctx, dest)
		if store == nil || errors.Is(err, objects.ErrDenied) {
			return nil, fmt.Errorf("export: %w", err)
		}
		e.out.store = store
	}
	e.below = e.out.below(dest, c.Text("name")+"-"+j.ID)
	return e, nil
}

// listed splits a text at commas.
func listed(text string) (list []string) {
	for _, s := range strings.Split(text, ",") {
		if s = strings.TrimSpace(s); s != "" {
			list = append(list, s)
		}
	}
	return list
}

// prepare makes the folder, in which something can then be written.
func (e *finalExport) prepare() error {
	if e.out.store != nil {
		return nil
	}
	err := os.MkdirAll(e.below, 0o755)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(e.below, ".probe-*"); err == nil {
			err = errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err != nil {
		return cli.Hint(&cli.UsageError{Err: fmt.Errorf("export: %w", err)},
			"choose a folder that can be written to, or s3://bucket/prefix, with --export")
	}
	return nil
}

const (
	// exportPatience is how long a final export that fails in a way that may pass is tried again.
	exportPatience = 20 * time.Second
	maxExportPause = 10 * time.Second
)

// write writes everything. It tries again for a while after an error that may pass. An error leaves a run that the same
// command resumes.
func (e *finalExport) write(ctx context.Context, s *runs.Stored, log *slog.Logger) error {
	log.Info("exporting", "to", e.below, "tables", strings.Join(e.tables, ","), "formats", strings.Join(e.formats, ","))
	end := time.Now().Add(exportPatience)
	for wait := time.Second; ; wait = min(2*wait, maxExportPause) {
		n, err := e.writeOnce(ctx, s)
		if err == nil {
			log.Info("exported", "to", e.below, "files", n)
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !e.mayPass(err, s) || !e.stays && time.Now().After(end) {
			return cli.Hint(&cli.StoppedError{Err: fmt.Errorf("export to %s: %w", e.below, err)},
				e.advice(err)+"all windows are committed, and the same command exports again")
		}
		log.Warn("the export failed and is tried again", ops.ErrorKey, err, "in", wait)
		if err := pause.For(ctx, wait); err != nil {
			return context.Cause(ctx)
		}
	}
}

// advice is the advice about an error before the run is resumed, ended by a semicolon, or nothing.
func (e *finalExport) advice(err error) string {
	if errors.Is(err, puzzle.ErrMissing) {
		return "start the workers that had the rows with their folders, or, where those are lost, run the config in one " +
			"process, which computes them again; "
	}
	if text := cli.Advice(err); text != "" {
		return text + "; "
	}
	return ""
}

// mayPass reports whether an error may be gone in a moment.
func (e *finalExport) mayPass(err error, s *runs.Stored) bool {
	switch {
	case errors.Is(err, puzzle.ErrMissing):
		return s.Remote != nil // their holders may come back
	case errors.Is(err, objects.ErrDenied):
		return false
	case e.out.store == nil:
		return false // a broken folder stays broken until a person mends it
	}
	return errors.Is(err, objects.ErrAway) || errors.Is(err, objects.ErrFull)
}

// writeOnce writes everything once and returns how many files that makes.
func (e *finalExport) writeOnce(ctx context.Context, s *runs.Stored) (files int, err error) {
	sum, err := s.Puzzle.Summarise(s.Results)
	if err != nil {
		return 0, err
	}
	for _, format := range e.formats {
		for _, table := range e.tables {
			what := runs.Selection{Table: table, Format: format, Scale: string(render.Auto)}
			names := []string{table}
			if table == resultTables {
				names = nil
				for i := range sum.Tables {
					names = append(names, sum.Tables[i].Name)
				}
			}
			if what.Rows() {
				n, err := e.writeLayers(ctx, s, what)
				files += n
				if err != nil {
					return files, err
				}
				continue
			}
			for _, what.Table = range names {
				path := e.out.below(e.below, what.Table+"."+extension(format))
				if err := e.out.write(ctx, path, func(w io.Writer) error { return s.WriteTable(w, what) }); err != nil {
					return files, err
				}
				files++
			}
		}
	}
	return files, nil
}

// writeLayers writes the rows of all layers that have any, and returns how many files that makes.
func (e *finalExport) writeLayers(ctx context.Context, s *runs.Stored, what runs.Selection) (files int, err error) {
	what.Layer = runs.AllLayers
	exporter, layers, err := s.Layers(what)
	if err != nil {
		return 0, err
	}
	for _, n := range layers {
		what.Layer = strconv.Itoa(n)
		path := e.out.below(e.below, fmt.Sprintf("%s-%02d.%s", what.Table, n, extension(what.Format)))
		rows, err := e.writeLayer(ctx, s, exporter, n, what, path)
		if err != nil {
			return files, err
		}
		if rows > 0 {
			files++
		}
	}
	return files, nil
}

// writeLayer writes the rows of a layer, unless it has none to show.
func (e *finalExport) writeLayer(
	ctx context.Context, s *runs.Stored, exporter puzzle.Exporter, layer int, what runs.Selection, path string,
) (rows uint64, err error) {
	w, err := e.out.create(path)
	if err != nil {
		return 0, err
	}
	defer w.Abort()
	rows, err = s.WriteLayer(ctx, w, exporter, layer, what, e.out.scratch(path), sortMemory, nil)
	if err != nil || rows == 0 {
		return 0, err
	}
	return rows, w.Commit(ctx)
}
