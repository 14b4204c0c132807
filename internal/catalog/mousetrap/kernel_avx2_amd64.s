//go:build amd64 && !purego

#include "textflag.h"

// What kernel_amd64.s does with half as wide vectors, and bits counted by nibble. R8 src, R9 table, R10 units of 64 bytes
// left, R11 sets, R12 their number, R13 bytes done: 256 bytes at a time, then 64.

DATA ones<>+0(SB)/8, $0x0302020102010100
DATA ones<>+8(SB)/8, $0x0403030203020201
DATA ones<>+16(SB)/8, $0x0302020102010100
DATA ones<>+24(SB)/8, $0x0403030203020201
GLOBL ones<>(SB), RODATA|NOPTR, $32

DATA nibbles<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
DATA nibbles<>+8(SB)/8, $0x0f0f0f0f0f0f0f0f
DATA nibbles<>+16(SB)/8, $0x0f0f0f0f0f0f0f0f
DATA nibbles<>+24(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL nibbles<>(SB), RODATA|NOPTR, $32

#define EACH2(OP) \
	OP(Y0, 0)     \
	OP(Y1, 32)

#define EACH8(OP) \
	EACH2(OP)     \
	OP(Y2, 64)    \
	OP(Y3, 96)    \
	OP(Y4, 128)   \
	OP(Y5, 160)   \
	OP(Y6, 192)   \
	OP(Y7, 224)

#define LOAD(y, at)  VMOVDQU at(R8)(R13*1), y;
#define STORE(y, at) VMOVDQU y, at(DI)(R13*1);
#define AND(y, at)   VPAND at(AX)(R13*1), y, y;
#define LEFT(y, at)  VPOR y, Y8, Y8;

// BITS adds the bits of y to the bytes of Y9.
#define BITS(y, at) \
	VPSRLD  $4, y, Y11         \
	VPAND   Y13, y, y          \
	VPAND   Y13, Y11, Y11      \
	VPSHUFB y, Y12, y          \
	VPSHUFB Y11, Y12, Y11      \
	VPADDB  y, Y9, Y9          \
	VPADDB  Y11, Y9, Y9        \

// SETS intersects what was loaded with the sets.
#define SETS(EACH, loop, done) \
	XORQ    CX, CX           \
loop:                            \
	CMPQ    CX, R12          \
	JGE     done             \
	MOVLQSX (R11)(CX*4), AX  \
	LEAQ    (R9)(AX*8), AX   \
	EACH(AND)                \
	INCQ    CX               \
	JMP     loop             \
done:

// COUNT counts the bits of what was loaded in Y8. A byte of Y9 gets at most 8 of each of eight vectors.
#define COUNT(EACH) \
	VPXOR   Y9, Y9, Y9       \
	EACH(BITS)               \
	VPSADBW Y10, Y9, Y9      \
	VPADDQ  Y9, Y8, Y8

// func countAVX2(src, table *uint64, vectors int, sets *int32, n int) uint64
TEXT ·countAVX2(SB), NOSPLIT, $0-48
	MOVQ    src+0(FP), R8
	MOVQ    table+8(FP), R9
	MOVQ    vectors+16(FP), R10
	MOVQ    sets+24(FP), R11
	MOVQ    n+32(FP), R12
	XORQ    R13, R13
	VPXOR   Y8, Y8, Y8
	VPXOR   Y10, Y10, Y10
	VMOVDQU ones<>(SB), Y12
	VMOVDQU nibbles<>(SB), Y13
	SUBQ    $4, R10
	JL      countTail

countFour:
	EACH8(LOAD)
	SETS(EACH8, countSets4, countDone4)
	COUNT(EACH8)
	ADDQ    $256, R13
	SUBQ    $4, R10
	JGE     countFour

countTail:
	ADDQ    $4, R10
	JZ      countEnd

countOne:
	EACH2(LOAD)
	SETS(EACH2, countSets1, countDone1)
	COUNT(EACH2)
	ADDQ    $64, R13
	DECQ    R10
	JNZ     countOne

countEnd:
	VEXTRACTI128 $1, Y8, X0
	VPADDQ  X0, X8, X8
	VPSRLDQ $8, X8, X0
	VPADDQ  X0, X8, X8
	VMOVQ   X8, AX
	MOVQ    AX, ret+40(FP)
	VZEROUPPER
	RET

// func intersectAVX2(dst, src, table *uint64, vectors int, sets *int32, n int) bool
TEXT ·intersectAVX2(SB), NOSPLIT, $0-49
	MOVQ    dst+0(FP), DI
	MOVQ    src+8(FP), R8
	MOVQ    table+16(FP), R9
	MOVQ    vectors+24(FP), R10
	MOVQ    sets+32(FP), R11
	MOVQ    n+40(FP), R12
	XORQ    R13, R13
	VPXOR   Y8, Y8, Y8
	SUBQ    $4, R10
	JL      intersectTail

intersectFour:
	EACH8(LOAD)
	SETS(EACH8, intersectSets4, intersectDone4)
	EACH8(STORE)
	EACH8(LEFT)
	ADDQ    $256, R13
	SUBQ    $4, R10
	JGE     intersectFour

intersectTail:
	ADDQ    $4, R10
	JZ      intersectEnd

intersectOne:
	EACH2(LOAD)
	SETS(EACH2, intersectSets1, intersectDone1)
	EACH2(STORE)
	EACH2(LEFT)
	ADDQ    $64, R13
	DECQ    R10
	JNZ     intersectOne

intersectEnd:
	VPTEST  Y8, Y8
	SETNE   ret+48(FP)
	VZEROUPPER
	RET
