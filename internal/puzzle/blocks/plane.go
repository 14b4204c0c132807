package blocks

import (
	"encoding/binary"
	"errors"

	"github.com/klauspost/compress/huff0"
)

// A plane is a run of bytes whose length the reader knows. Form on disk: kind, then
//
//	planeRaw        the bytes
//	planeConstant   one byte, repeated
//	planeHuffman    length of the rest (3 bytes, little endian), Huffman table and four streams of huff0
const (
	planeRaw byte = iota
	planeConstant
	planeHuffman
)

// smallPlane is the length below which a Huffman table cannot pay.
const smallPlane = 48

var errMalformed = errors.New("malformed block")

// encodePlane appends p, which is not empty, in the shortest of its forms.
func encodePlane(dst, p []byte, s *huff0.Scratch) []byte {
	if len(p) >= smallPlane {
		s.Reuse = huff0.ReusePolicyNone
		out, _, err := huff0.Compress4X(p, s)
		switch {
		case err == nil && len(out)+3 < len(p):
			dst = append(dst, planeHuffman, byte(len(out)), byte(len(out)>>8), byte(len(out)>>16))
			return append(dst, out...)
		case errors.Is(err, huff0.ErrUseRLE):
			return append(dst, planeConstant, p[0])
		}
		// huff0 refuses planes that do not shrink; raw is right then.
	} else if constant(p) {
		return append(dst, planeConstant, p[0])
	}
	dst = append(dst, planeRaw)
	return append(dst, p...)
}

// decodePlane fills p, which is not empty, from src and returns the rest of src.
func decodePlane(p, src []byte, s *huff0.Scratch) ([]byte, error) {
	if len(src) < 2 {
		return nil, errMalformed
	}
	kind, src := src[0], src[1:]
	switch {
	case kind == planeRaw && len(src) >= len(p):
		copy(p, src)
		return src[len(p):], nil
	case kind == planeConstant:
		for i := range p {
			p[i] = src[0]
		}
		return src[1:], nil
	case kind == planeHuffman && len(src) >= 3:
		n := int(src[0]) | int(binary.LittleEndian.Uint16(src[1:]))<<8
		src = src[3:]
		if n > len(src) || n >= len(p) {
			return nil, errMalformed
		}
		s, streams, err := huff0.ReadTable(src[:n], s)
		if err != nil {
			return nil, errMalformed
		}
		out, err := s.Decoder().Decompress4X(p[:0:len(p)], streams)
		if err != nil || len(out) != len(p) {
			return nil, errMalformed
		}
		return src[n:], nil
	}
	return nil, errMalformed
}

func constant(p []byte) bool {
	for _, x := range p {
		if x != p[0] {
			return false
		}
	}
	return true
}
