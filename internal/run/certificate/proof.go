package certificate

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/tlog"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/certificate/canonical"
)

// ProofForm is the value of the field "proof".
const ProofForm = "pagoda window"

// MaxProofBytes bounds the size of a proof to read; most of it is the tally of the window.
const MaxProofBytes = 16 << 20

// A Proof shows that a window belongs to a root, without the rest of the certificate: for each level of the tree the
// path of hashes from a leaf to the root of that level.
type Proof struct {
	Proof   string `json:"proof"`   // ProofForm
	Version int    `json:"version"` // Version
	Run     string `json:"run"`
	Root    Hash   `json:"root"`
	Window  Window `json:"window"`
	Cell    Step   `json:"cell"`  // from the window to the root of its cell
	Layer   Step   `json:"layer"` // from the cell to the root of its layer
	Layers  Step   `json:"layers"`
	Windows int    `json:"windows"` // of the run
}

// A Step is a path in a tree.
type Step struct {
	Index   int    `json:"index"`   // of the leaf, from 0
	Leaves  int    `json:"leaves"`  // of the tree
	Windows int    `json:"windows"` // below the tree
	Root    Hash   `json:"root"`    // of the tree
	Path    []Hash `json:"path"`
}

// Prove lets a builder keep the hashes that [Builder.Proof] needs. It is called before the first window is added.
func (b *Builder) Prove(id puzzle.WindowID) { b.wanted = &id }

// Proof returns the proof of the window that Prove named, after Finish.
func (b *Builder) Proof() (*Proof, error) {
	if b.wanted == nil || b.kept == nil || b.proved == nil {
		return nil, errors.New("the run has no such window")
	}
	id := *b.wanted
	p := &Proof{
		Proof: ProofForm, Version: Version, Run: b.run, Root: b.out.Root, Window: *b.proved, Windows: b.out.Windows,
	}
	li := slices.IndexFunc(b.out.Layers, func(l Layer) bool { return l.Layer == id.Layer })
	l := &b.out.Layers[li]
	ci := slices.IndexFunc(l.Cells, func(c Cell) bool { return c.Key == id.Key })
	_, cells, err1 := rootOfCells(l.Cells)
	_, layers, err2 := rootOf(b.run, b.out.Layers, b.out.Windows)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	var err error
	if p.Cell, err = b.kept.step(id.Part, l.Cells[ci].Windows); err != nil {
		return nil, err
	}
	if p.Layer, err = cells.step(ci, l.Windows); err != nil {
		return nil, err
	}
	p.Layers, err = layers.step(li, b.out.Windows)
	return p, err
}

// step is the path of a leaf.
func (t *tree) step(index, windows int) (s Step, err error) {
	s = Step{Index: index, Leaves: int(t.leaves), Windows: windows}
	if s.Root, err = t.root(); err != nil {
		return s, err
	}
	path, err := tlog.ProveRecord(t.leaves, int64(index), tlog.HashReaderFunc(t.read))
	for _, h := range path {
		s.Path = append(s.Path, Hash(h))
	}
	return s, err
}

// check says whether a text is the leaf that a path begins at.
func (s *Step) check(leaf []byte) error {
	path := make(tlog.RecordProof, len(s.Path))
	for i, h := range s.Path {
		path[i] = tlog.Hash(h)
	}
	if s.Index < 0 || s.Index >= s.Leaves {
		return fmt.Errorf("leaf %d of %d", s.Index, s.Leaves)
	}
	return tlog.CheckRecord(path, int64(s.Leaves), tlog.Hash(s.Root), int64(s.Index), tlog.RecordHash(leaf))
}

// Encode writes p as JSON with one indent.
func (p *Proof) Encode() ([]byte, error) { return canonical.Indent(p) }

// DecodeProof reads a proof and checks it. Errors wrap ErrForm. A reader that trusts the root of p may trust its
// window.
func DecodeProof(data []byte) (*Proof, error) {
	var p Proof
	if len(data) > MaxProofBytes {
		return nil, fmt.Errorf("%w: %d bytes, at most %d are allowed", ErrForm, len(data), MaxProofBytes)
	}
	if err := canonical.Decode(data, &p); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForm, err)
	}
	if p.Proof != ProofForm || p.Version != Version {
		return nil, fmt.Errorf("%w: it is %.40q of version %d, this program reads %q of version %d",
			ErrForm, p.Proof, p.Version, ProofForm, Version)
	}
	return &p, p.Check()
}

// Check says whether p proves that its window belongs to its root. Errors wrap ErrForm.
func (p *Proof) Check() error {
	w := &p.Window
	if !runForm.MatchString(p.Run) || !puzzle.ValidKey(w.Key) || p.Cell.Index != w.Part {
		return fmt.Errorf("%w: run %.40q, window %.80s", ErrForm, p.Run, w.ID())
	}
	leaf, err := w.leaf()
	if err != nil {
		return err
	}
	c := Cell{Key: w.Key, Windows: p.Cell.Leaves, Root: p.Cell.Root}
	steps := []struct {
		what string
		step *Step
		leaf []byte
	}{
		{"cell", &p.Cell, leaf},
		{"layer", &p.Layer, c.leaf()},
		{"layers", &p.Layers, layerLeaf(w.Layer, p.Layer.Leaves, p.Layer.Windows, p.Layer.Root)},
	}
	for _, s := range steps {
		if err := s.step.check(s.leaf); err != nil {
			return fmt.Errorf("%w: the path through the %s does not lead to its root: %w", ErrForm, s.what, err)
		}
	}
	root, err := leafHash(runLeaf(p.Run, p.Layers.Leaves, p.Windows, p.Layers.Root))
	switch {
	case err != nil:
		return err
	case p.Cell.Windows != p.Cell.Leaves || p.Layers.Windows != p.Windows:
		return fmt.Errorf("%w: its numbers of windows contradict each other", ErrForm)
	case root != p.Root:
		return fmt.Errorf("%w: the root is %s, and that of its path %s", ErrForm, p.Root, root)
	}
	return nil
}
