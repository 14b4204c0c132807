package certificate

import (
	"cmp"
	"fmt"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/certificate/canonical"
)

// A Window is the entry of a window in a certificate: its place, how many rows it has, the digest of its content, and
// its tally. Its JSON has these fields in this order, no space, and no escapes of HTML.
type Window struct {
	puzzle.Window
	Rows   uint64       `json:"rows"`
	Blocks uint64       `json:"blocks"`
	Digest Hash         `json:"digest"`
	Tally  puzzle.Tally `json:"tally"`
}

// JSON returns the JSON of a window in one line, as the leaf of the window has it.
func (w *Window) JSON() ([]byte, error) { return canonical.Marshal(w) }

// leaf is the text of the leaf of a window.
func (w *Window) leaf() ([]byte, error) {
	text, err := w.JSON()
	return append([]byte("pagoda window\n"), text...), err
}

// A Layer is the part of a certificate about a layer.
type Layer struct {
	Layer   int    `json:"layer"`
	Windows int    `json:"windows"`
	Root    Hash   `json:"root"` // tree over the leaves of the cells
	Cells   []Cell `json:"cells"`
}

// A Cell is the part of a certificate about a cell.
type Cell struct {
	Key     string `json:"cell"`
	Windows int    `json:"windows"`
	Root    Hash   `json:"root"` // tree over the leaves of the windows
}

func (c *Cell) leaf() []byte {
	return fmt.Appendf(nil, "pagoda cell %s %d %s\n", c.Key, c.Windows, c.Root)
}

func (l *Layer) leaf() []byte { return layerLeaf(l.Layer, len(l.Cells), l.Windows, l.Root) }

func layerLeaf(layer, cells, windows int, root Hash) []byte {
	return fmt.Appendf(nil, "pagoda layer %d %d %d %s\n", layer, cells, windows, root)
}

// A Tree is the hashes of a run.
type Tree struct {
	Windows int     `json:"windows"`
	Root    Hash    `json:"root"`
	Layers  []Layer `json:"layers"`
}

// rootOf returns the root of a run, and the tree over its layers.
func rootOf(run string, layers []Layer, windows int) (Hash, *tree, error) {
	var t tree
	for i := range layers {
		if err := t.add(layers[i].leaf()); err != nil {
			return Hash{}, nil, err
		}
	}
	h, err := t.root()
	if err != nil {
		return Hash{}, nil, err
	}
	root, err := leafHash(runLeaf(run, len(layers), windows, h))
	return root, &t, err
}

func runLeaf(run string, layers, windows int, h Hash) []byte {
	return fmt.Appendf(nil, "pagoda run %s %d %d %s\n", run, layers, windows, h)
}

// leafHash is the hash of a tree of one leaf, which is that of the leaf.
func leafHash(text []byte) (Hash, error) {
	var t tree
	if err := t.add(text); err != nil {
		return Hash{}, err
	}
	return t.root()
}

// rootOfCells is the tree over the cells of a layer.
func rootOfCells(cells []Cell) (Hash, *tree, error) {
	var t tree
	for i := range cells {
		if err := t.add(cells[i].leaf()); err != nil {
			return Hash{}, nil, err
		}
	}
	h, err := t.root()
	return h, &t, err
}

// A Builder makes the tree of a run from its windows. Memory is that of the tree, and of the hashes of one cell.
type Builder struct {
	run  string
	out  Tree
	last puzzle.WindowID
	cell tree // of the last window's cell
	// What a proof of a window needs, see Prove.
	wanted *puzzle.WindowID
	proved *Window
	kept   *tree // of its cell
}

// NewBuilder returns a builder of the tree of a run.
func NewBuilder(run string) *Builder { return &Builder{run: run} }

// Add adds a window. Windows come in the order of layer, cell key, bytewise, and part, and all parts of a cell come.
func (b *Builder) Add(w Window) error {
	id := w.ID()
	first := b.out.Windows == 0
	switch {
	case !puzzle.ValidKey(id.Key) || id.Layer < 0:
		return fmt.Errorf("window %s: not the name of a window", id)
	case !first && id.Cell == b.last.Cell && id.Part == b.last.Part+1:
	case id.Part == 0 && (first || b.after(id.Cell)):
		if err := b.endCell(); err != nil {
			return err
		}
		if first || id.Layer != b.last.Layer {
			b.out.Layers = append(b.out.Layers, Layer{Layer: id.Layer})
		}
		l := b.layer()
		l.Cells = append(l.Cells, Cell{Key: id.Key})
	default:
		return fmt.Errorf("window %s does not follow %s", id, b.last)
	}
	text, err := w.leaf()
	if err != nil {
		return fmt.Errorf("window %s: %w", id, err)
	}
	if err := b.cell.add(text); err != nil {
		return err
	}
	if b.wanted != nil && *b.wanted == id {
		b.proved = &w
	}
	b.last = id
	b.out.Windows++
	b.layer().Windows++
	return nil
}

// after reports whether a cell comes after that of the last window.
func (b *Builder) after(c puzzle.Cell) bool {
	return cmp.Or(cmp.Compare(c.Layer, b.last.Layer), cmp.Compare(c.Key, b.last.Key)) > 0
}

func (b *Builder) layer() *Layer { return &b.out.Layers[len(b.out.Layers)-1] }

// endCell completes the cell of the last window.
func (b *Builder) endCell() (err error) {
	if b.cell.leaves == 0 {
		return nil
	}
	l := b.layer()
	c := &l.Cells[len(l.Cells)-1]
	c.Windows = int(b.cell.leaves)
	if c.Root, err = b.cell.root(); err != nil {
		return err
	}
	if b.wanted != nil && b.wanted.Cell == b.last.Cell {
		kept := b.cell
		b.kept, b.cell = &kept, tree{}
	}
	b.cell.reset()
	return nil
}

// Finish returns the tree of all windows.
func (b *Builder) Finish() (Tree, error) {
	if err := b.endCell(); err != nil {
		return Tree{}, err
	}
	var err error
	for i := range b.out.Layers {
		l := &b.out.Layers[i]
		if l.Root, _, err = rootOfCells(l.Cells); err != nil {
			return Tree{}, err
		}
	}
	if b.out.Layers == nil {
		b.out.Layers = []Layer{} // an array, never null
	}
	b.out.Root, _, err = rootOf(b.run, b.out.Layers, b.out.Windows)
	return b.out, err
}
