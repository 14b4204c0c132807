package batch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/runs"
	"pagoda/internal/config"
)

// ID names what a batch computes: the first 48 bits, in hexadecimal digits, of a SHA-256 of its keys and of the names,
// values and run IDs of its members.
func (b *Batch) ID() string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%q\n", b.Keys)
	for _, m := range b.Members {
		_, _ = fmt.Fprintf(h, "%q %q %q\n", m.Name, m.ID, m.Values)
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// Endings of the names of the files that carry a batch.
const (
	batchEnding  = ".yaml"
	baseEnding   = ".base"   // of the base
	configEnding = ".config" // of the further configs
)

// Files returns the batch as files of one folder, which any other machine reads as the same batch: the file of the
// batch under the name first, and beside it its base and its configs. The environment cannot be carried, so settings
// from there are refused, but for those that local names: each machine has its own.
func (b *Batch) Files(ctx context.Context, local []string) (first string, files map[string]string, err error) {
	for _, m := range b.Members {
		for _, s := range m.Config.Settings() {
			if strings.HasPrefix(s.Origin, config.EnvPrefix) && !slices.Contains(local, s.Setting.Name) {
				return "", nil, cli.Hint(&cli.UsageError{Err: fmt.Errorf("%s is set in the environment, and only the files of "+
					"a batch are carried elsewhere", s.Origin)}, "unset it, or write the key "+s.Setting.Name+" into the base")
			}
		}
	}
	if files, err = cli.Await(ctx, b.copied); err != nil {
		return "", nil, err
	}
	first = b.Name + batchEnding
	return first, files, b.checkFiles(ctx, first, files)
}

// copied reads the file of the batch with the paths of the copies in the place of its own, and the files behind them.
func (b *Batch) copied() (map[string]string, error) {
	text, err := os.ReadFile(b.path)
	if err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	f := file{path: b.path}
	files := make(map[string]string)
	take := func(n *yaml.Node, name string) error {
		text, err := os.ReadFile(f.beside(n.Value))
		files[name], n.Value = string(text), name
		return err
	}
	root := doc.Content[0]
	for i := 0; i+1 < len(root.Content); i += 2 {
		switch key, n := root.Content[i].Value, root.Content[i+1]; {
		case key == "base" && n.Kind == yaml.ScalarNode:
			err = errors.Join(err, take(n, b.Name+baseEnding))
		case key == "configs":
			for _, n := range n.Content {
				err = errors.Join(err, take(n, config.NameFromPath(n.Value)+configEnding))
			}
		}
	}
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	err = errors.Join(err, e.Encode(&doc), e.Close())
	files[b.Name+batchEnding] = out.String()
	return files, err
}

// checkFiles reads the files as another machine does, and returns an error unless they are this batch.
func (b *Batch) checkFiles(ctx context.Context, first string, files map[string]string) error {
	dir, err := os.MkdirTemp("", "pagoda-batch-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	there, err := Load(ctx, runs.Loader{Catalog: b.loader.Catalog}, filepath.Join(dir, first), b.Dir)
	if err == nil && (there.ID() != b.ID() || there.Name != b.Name || there.AtATime != b.AtATime) {
		err = errors.New("its copy is another batch")
	}
	if err != nil {
		return fmt.Errorf("batch %s cannot be carried elsewhere: %w", b.Name, err)
	}
	return nil
}
