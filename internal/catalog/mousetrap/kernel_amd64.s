//go:build amd64 && !purego

#include "textflag.h"

// R8 src, R9 table, R10 vectors left, R11 sets, R12 their number, R13 bytes done. Four vectors at a time, then one at a
// time: a set is then looked up once for 256 bytes.

// AND4 and AND1 intersect Z0..Z3, or Z0, with the sets.
#define AND4(loop, done) \
	XORQ CX, CX              \
loop:                        \
	CMPQ CX, R12             \
	JGE  done                \
	MOVLQSX (R11)(CX*4), AX  \
	LEAQ (R9)(AX*8), AX      \
	VPANDQ (AX)(R13*1), Z0, Z0    \
	VPANDQ 64(AX)(R13*1), Z1, Z1  \
	VPANDQ 128(AX)(R13*1), Z2, Z2 \
	VPANDQ 192(AX)(R13*1), Z3, Z3 \
	INCQ CX                  \
	JMP  loop                \
done:

#define AND1(loop, done) \
	XORQ CX, CX              \
loop:                        \
	CMPQ CX, R12             \
	JGE  done                \
	MOVLQSX (R11)(CX*4), AX  \
	LEAQ (R9)(AX*8), AX      \
	VPANDQ (AX)(R13*1), Z0, Z0    \
	INCQ CX                  \
	JMP  loop                \
done:

#define LOAD4 \
	VMOVDQU64 (R8)(R13*1), Z0    \
	VMOVDQU64 64(R8)(R13*1), Z1  \
	VMOVDQU64 128(R8)(R13*1), Z2 \
	VMOVDQU64 192(R8)(R13*1), Z3

// REDUCE adds the words of Z8 up in AX.
#define REDUCE \
	VEXTRACTI64X4 $1, Z8, Y0 \
	VPADDQ Y0, Y8, Y8        \
	VEXTRACTI128 $1, Y8, X0  \
	VPADDQ X0, X8, X8        \
	VPSRLDQ $8, X8, X0       \
	VPADDQ X0, X8, X8        \
	VMOVQ X8, AX

// func countVectors(src, table *uint64, vectors int, sets *int32, n int) uint64
TEXT ·countVectors(SB), NOSPLIT, $0-48
	MOVQ src+0(FP), R8
	MOVQ table+8(FP), R9
	MOVQ vectors+16(FP), R10
	MOVQ sets+24(FP), R11
	MOVQ n+32(FP), R12
	XORQ R13, R13
	VPXORQ Z8, Z8, Z8
	SUBQ $4, R10
	JL   countTail

countFour:
	LOAD4
	AND4(countSets4, countDone4)
	VPOPCNTQ Z0, Z0
	VPOPCNTQ Z1, Z1
	VPOPCNTQ Z2, Z2
	VPOPCNTQ Z3, Z3
	VPADDQ Z0, Z1, Z0
	VPADDQ Z2, Z3, Z2
	VPADDQ Z0, Z8, Z8
	VPADDQ Z2, Z8, Z8
	ADDQ $256, R13
	SUBQ $4, R10
	JGE  countFour

countTail:
	ADDQ $4, R10
	JZ   countEnd

countOne:
	VMOVDQU64 (R8)(R13*1), Z0
	AND1(countSets1, countDone1)
	VPOPCNTQ Z0, Z0
	VPADDQ Z0, Z8, Z8
	ADDQ $64, R13
	DECQ R10
	JNZ  countOne

countEnd:
	REDUCE
	MOVQ AX, ret+40(FP)
	VZEROUPPER
	RET

// func intersectVectors(dst, src, table *uint64, vectors int, sets *int32, n int) uint64
//
// Z8 collects what is left anywhere; the sum of its words could wrap to 0, their number of bits cannot.
TEXT ·intersectVectors(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), R8
	MOVQ table+16(FP), R9
	MOVQ vectors+24(FP), R10
	MOVQ sets+32(FP), R11
	MOVQ n+40(FP), R12
	XORQ R13, R13
	VPXORQ Z8, Z8, Z8
	SUBQ $4, R10
	JL   intersectTail

intersectFour:
	LOAD4
	AND4(intersectSets4, intersectDone4)
	VMOVDQU64 Z0, (DI)(R13*1)
	VMOVDQU64 Z1, 64(DI)(R13*1)
	VMOVDQU64 Z2, 128(DI)(R13*1)
	VMOVDQU64 Z3, 192(DI)(R13*1)
	VPORQ Z0, Z1, Z0
	VPORQ Z2, Z3, Z2
	VPORQ Z0, Z8, Z8
	VPORQ Z2, Z8, Z8
	ADDQ $256, R13
	SUBQ $4, R10
	JGE  intersectFour

intersectTail:
	ADDQ $4, R10
	JZ   intersectEnd

intersectOne:
	VMOVDQU64 (R8)(R13*1), Z0
	AND1(intersectSets1, intersectDone1)
	VMOVDQU64 Z0, (DI)(R13*1)
	VPORQ Z0, Z8, Z8
	ADDQ $64, R13
	DECQ R10
	JNZ  intersectOne

intersectEnd:
	VPOPCNTQ Z8, Z8
	REDUCE
	MOVQ AX, ret+48(FP)
	VZEROUPPER
	RET
