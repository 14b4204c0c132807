package reach

import (
	"context"
	"math/bits"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
)

// A meeting finds the positions that stretches of near share with the complements of a vector of far.
type meeting interface {
	// open says that stretches of near with the prefix of rank l come next.
	open(ctx context.Context, l uint32) error
	// meet puts into both the positions that stretch a of near, with prefix and mid pattern x, shares with the
	// complements, and returns their number. value is the one that prefix, mid and start leave.
	meet(both, a []uint64, x [roles]uint32, value uint32) (n int)
	release()
}

// newMeeting returns the meeting of near with vector u of far; nil when u has no positions.
func (j *join) newMeeting(
	ctx context.Context, in puzzle.Source, near *rows, u partition.Vector,
) (meeting, error) {
	rep, _ := j.far.canonical(u)
	if empty, err := isEmpty(in, j.far.spotOf(rep).cell); empty || err != nil {
		return nil, err
	}
	c, err := j.far.newCrossing(ctx, in, u, near.shape)
	if err != nil {
		return nil, err
	}
	if c != nil {
		return c, nil
	}
	far, err := j.far.rows(ctx, in, u, true)
	if far == nil || err != nil {
		return nil, err
	}
	return newStretchMeeting(j.near.scheme, j.far.scheme, &near.shape, far), nil
}

// A stretchMeeting meets stretch by stretch.
type stretchMeeting struct {
	near, far *scheme
	shape     *shape // of near
	rows      *rows  // of far
	image     *stretchImage
	// By rank of the patterns of near: the ranks of their complements.
	prefixes, mids, stretches []uint32
	// apart is the constant between the value that prefix, mid and start leave of a position and that of its complement.
	apart uint32

	slab  *slab
	first int // see slabOf
}

func newStretchMeeting(near, far *scheme, h *shape, rows *rows) *stretchMeeting {
	complements := func(r int) (list []uint32) {
		c := &near.class[r]
		for _, x := range c.byWeight[h.weight[r]] {
			list = append(list, c.rank[c.complement(x)])
		}
		return list
	}
	return &stretchMeeting{near: near, far: far, shape: h, rows: rows, image: far.newStretchImage(&rows.shape),
		prefixes: complements(prefix), mids: complements(mid), stretches: complements(stretch),
		apart: near.base ^ far.base ^ near.class[prefix].all() ^ near.class[mid].all()}
}

func (m *stretchMeeting) open(ctx context.Context, l uint32) (err error) {
	m.rows.next()
	m.slab, m.first, err = m.rows.slabOf(ctx, m.prefixes[l])
	return err
}

// has reports whether far has the stretch with the complements of the one with the prefix opened and the mid pattern of
// rank mid.
func (m *stretchMeeting) has(mid uint32) bool { return m.slab.at[m.first+int(m.mids[mid])] != noRows }

func (m *stretchMeeting) release() { m.rows.release(m.far) }

func (m *stretchMeeting) meet(both, a []uint64, x [roles]uint32, value uint32) (n int) {
	s := m.near
	at := m.slab.at[m.first+int(m.mids[s.class[mid].rank[x[mid]]])]
	if at == noRows {
		return 0
	}
	b := m.image.of(m.slab.words, at, value^m.apart)
	starts := s.class[word].starts[m.shape.weight[word]]
	patterns := s.class[stretch].byWeight[m.shape.weight[stretch]]
	for l, to := range m.stretches {
		v := value ^ s.class[stretch].inv[patterns[l]]
		length := int(starts[v+1] - starts[v])
		for p := range m.shape.planes {
			i := p*m.shape.stretches + l
			both[i] = a[i]
			if a[i] == 0 {
				continue
			}
			// Bits 64p.. of near are bits length-1-64p downwards of far.
			low := length - 64*(p+1)
			var x uint64
			if q := low >> 6; q >= 0 && q < m.shape.planes {
				x = b[q*m.shape.stretches+int(to)] >> (low & 63)
			}
			if q := low>>6 + 1; low&63 != 0 && q < m.shape.planes {
				x |= b[q*m.shape.stretches+int(to)] << (64 - low&63)
			}
			both[i] &= bits.Reverse64(x)
			n += bits.OnesCount64(both[i])
		}
	}
	return n
}
