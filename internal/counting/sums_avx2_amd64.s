//go:build amd64 && !purego

#include "textflag.h"
#include "sums_amd64.h"

// What sums_amd64.s does, for machines that have AVX2 and not AVX-512: no instruction counts the bits of a lane, none
// compresses a vector, and sixteen registers must do. Only the first four lanes of stretchSums are used.

// SAME makes the four words of a vector the same, TWICE its halves.
#define SAME(name, word) TWICE(name, word, word)
#define TWICE(name, low, high) \
	DATA name+0(SB)/8, $low;   \
	DATA name+8(SB)/8, $high;  \
	DATA name+16(SB)/8, $low;  \
	DATA name+24(SB)/8, $high; \
	GLOBL name(SB), RODATA|NOPTR, $32

TWICE(ones<>, 0x0302020102010100, 0x0403030203020201) // the number of ones of each nibble
SAME(nibbles<>, 0x0f0f0f0f0f0f0f0f)
SAME(bytes<>, 0x0101010101010101)
SAME(words<>, 0x0001000100010001)
SAME(evens<>, 0x00000000ffffffff)
SAME(signs<>, 0x8000000000000000)

// A mask of n slots begins n slots before the middle.
DATA slots<>+0(SB)/8, $-1
DATA slots<>+8(SB)/8, $-1
DATA slots<>+16(SB)/8, $-1
DATA slots<>+24(SB)/8, $-1
DATA slots<>+32(SB)/8, $-1
DATA slots<>+40(SB)/8, $-1
DATA slots<>+48(SB)/8, $-1
DATA slots<>+56(SB)/8, $-1
DATA slots<>+64(SB)/8, $0
DATA slots<>+72(SB)/8, $0
DATA slots<>+80(SB)/8, $0
DATA slots<>+88(SB)/8, $0
DATA slots<>+96(SB)/8, $0
DATA slots<>+104(SB)/8, $0
DATA slots<>+112(SB)/8, $0
DATA slots<>+120(SB)/8, $0
GLOBL slots<>(SB), RODATA|NOPTR, $128

// SLOTS lets AX point to the mask of the next n addresses, of SIZE bytes each, or of the CX that are left.
#define SLOTS(n, SIZE) \
	MOVQ    $n, AX             \
	CMPQ    CX, AX             \
	CMOVQLT CX, AX             \
	NEGQ    AX                 \
	LEAQ    slots<>+64(SB), R13 \
	LEAQ    (R13)(AX*SIZE), AX

// OPEN loads the arguments and the sums, but for the largest count. Sets have SET bytes. R8 to R11 are the planes of the
// classes, DX the number of rows.
#define OPEN(SET) \
	MOVQ    s+0(FP), DI       \
	MOVQ    counts+8(FP), SI  \
	MOVQ    n+16(FP), CX      \
	MOVQ    low+24(FP), R8    \
	MOVQ    high+32(FP), BX   \
	LEAQ    (R8)(CX*SET), R9  \
	LEAQ    (R9)(CX*SET), R10 \
	LEAQ    (R10)(CX*SET), R11 \
	XORQ    DX, DX            \
	VMOVDQU PATHS(DI), Y0     \
	VMOVDQU ones<>(SB), Y1    \
	VMOVDQU (OUT+0)(DI), Y4   \
	VMOVDQU (OUT+64)(DI), Y5  \
	VMOVDQU (OUT+128)(DI), Y6 \
	VMOVDQU (OUT+192)(DI), Y7

// ON goes on to the next n addresses.
#define ON(n, SIZE, SET) \
	ADDQ $(n*SIZE), SI  \
	ADDQ $(n*SET), R8   \
	ADDQ $(n*SET), R9   \
	ADDQ $(n*SET), R10  \
	ADDQ $(n*SET), R11  \
	SUBQ $n, CX

// CLOSE stores the sums and the result; Y2 has the largest counts, their signs turned.
#define CLOSE \
	VPXOR   signs<>(SB), Y2, Y2 \
	VMOVDQU Y0, PATHS(DI)     \
	VMOVDQU Y2, LARGEST(DI)   \
	VMOVDQU Y4, (OUT+0)(DI)   \
	VMOVDQU Y5, (OUT+64)(DI)  \
	VMOVDQU Y6, (OUT+128)(DI) \
	VMOVDQU Y7, (OUT+192)(DI) \
	MOVQ    DX, rows+40(FP)   \
	VZEROUPPER                \
	RET

// LARGER takes those of x to the largest counts. There is no maximum of words: signs are turned, and compared.
#define LARGER(x, turned, larger) \
	VPXOR     signs<>(SB), x, turned        \
	VPCMPGTQ  Y2, turned, larger            \
	VBLENDVPD larger, turned, Y2, Y2

// LEGAL takes the legal jumps of a class, of those that the low patterns allow (plane) and prefix and mid (high), and
// leaves their numbers by byte in Y15. Y14 collects them.
#define LEGAL(plane, high) \
	VPAND   (plane), high, Y15         \
	VPOR    Y15, Y14, Y14              \
	VPSRLD  $4, Y15, Y3                \
	VPAND   nibbles<>(SB), Y15, Y15    \
	VPAND   nibbles<>(SB), Y3, Y3      \
	VPSHUFB Y15, Y1, Y15               \
	VPSHUFB Y3, Y1, Y3                 \
	VPADDB  Y3, Y15, Y15

// NARROW is LEGAL for sets of 32 bits, and adds the bytes of each.
#define NARROW(plane, high) \
	LEGAL(plane, high)                   \
	VPMADDUBSW bytes<>(SB), Y15, Y15     \
	VPMADDWD   words<>(SB), Y15, Y15

// SHORT adds counts times legal jumps of one class: those of Y12, and of Y13 where those at odd places stand alone.
#define SHORT(plane, high, out) \
	NARROW(plane, high)        \
	VPMULUDQ Y12, Y15, Y3      \
	VPADDQ   Y3, out, out      \
	VPSRLQ   $32, Y15, Y15     \
	VPMULUDQ Y13, Y15, Y15     \
	VPADDQ   Y15, out, out

// LONG does so for words: Y12 and Y13 have those at even and odd places, Y8 and Y9 their high halves.
#define LONG(plane, at, out) \
	VPBROADCASTD at(BX), Y15 \
	NARROW(plane, Y15)       \
	VPSRLQ   $32, Y15, Y3    \
	VPMULUDQ Y12, Y15, Y10   \
	VPADDQ   Y10, out, out   \
	VPMULUDQ Y8, Y15, Y15    \
	VPMULUDQ Y13, Y3, Y10    \
	VPADDQ   Y10, out, out   \
	VPMULUDQ Y9, Y3, Y3      \
	VPADDQ   Y3, Y15, Y15    \
	VPSLLQ   $32, Y15, Y15   \
	VPADDQ   Y15, out, out

// WIDE does so for the words of Y12, with high halves Y8, and sets of 64 bits. Y11 is zero.
#define WIDE(plane, at, out) \
	VPBROADCASTQ at(BX), Y15 \
	LEGAL(plane, Y15)        \
	VPSADBW  Y11, Y15, Y15   \
	VPMULUDQ Y12, Y15, Y3    \
	VPADDQ   Y3, out, out    \
	VPMULUDQ Y8, Y15, Y15    \
	VPSLLQ   $32, Y15, Y15   \
	VPADDQ   Y15, out, out

// ROWS counts the rows of n slots, those without a bit in R13.
#define ROWS(n) \
	POPCNTL R13, R13          \
	SUBQ    R13, DX           \
	ADDQ    $n, DX

// SUMS adds the counts of a stretch, four at a time, of SIZE bytes each, that LOAD takes; sets have 64 bits.
#define SUMS(LOAD, SIZE) \
	OPEN(8)                         \
	VMOVDQU   LARGEST(DI), Y2       \
	VPXOR     signs<>(SB), Y2, Y2   \
	VPXOR     Y11, Y11, Y11         \
four:                                   \
	SLOTS(4, SIZE)                  \
	LOAD                            \
	LARGER(Y12, Y14, Y15)           \
	VPADDQ    Y12, Y0, Y0           \
	VPSRLQ    $32, Y12, Y8          \
	VPXOR     Y14, Y14, Y14         \
	WIDE(R8, 0, Y4)                 \
	WIDE(R9, 8, Y5)                 \
	WIDE(R10, 16, Y6)               \
	WIDE(R11, 24, Y7)               \
	VPCMPEQQ  Y11, Y12, Y3          \
	VPCMPEQQ  Y11, Y14, Y14         \
	VPANDN    Y14, Y3, Y14          \
	VMOVMSKPD Y3, R13               \
	ROWS(4)                         \
	VMOVMSKPD Y14, R13              \
	TESTL     R13, R13              \
	JEQ       next                  \
	POPCNTL   R13, R13              \
	ADDQ      R13, DEAD(DI)         \
	VPAND     Y12, Y14, Y14         \
	VPADDQ    ENDED(DI), Y14, Y14   \
	VMOVDQU   Y14, ENDED(DI)        \
next:                                   \
	ON(4, SIZE, 8)                  \
	JGT       four                  \
	CLOSE

#define LOADSHORT \
	VMOVDQU    (AX), X3          \
	VPMASKMOVD (SI), X3, X12     \
	VPMOVZXDQ  X12, Y12

#define LOADLONG \
	VMOVDQU    (AX), Y3          \
	VPMASKMOVQ (SI), Y3, Y12

// COMPRESS stores those of the four words of x whose bit is zero in the low four of R13. R10 has an order of the halves
// of words for each set of them.
#define COMPRESS(x) \
	MOVL    R13, AX            \
	ANDL    $15, AX            \
	MOVL    AX, BX             \
	SHLL    $5, AX             \
	VMOVDQU (R10)(AX*1), Y3    \
	VPERMD  x, Y3, Y3          \
	VMOVDQU Y3, (R8)           \
	POPCNTL BX, BX             \
	NEGQ    BX                 \
	LEAQ    32(R8)(BX*8), R8   \
	SHRL    $4, R13

// PACK packs counts, eight at a time, of SIZE bytes each, that LOAD takes to Y12 and Y13, with those that are zero in R13.
#define PACK(LOAD, SIZE) \
	MOVQ  counts+0(FP), SI     \
	MOVQ  n+8(FP), CX          \
	MOVQ  occupied+16(FP), DI  \
	MOVQ  out+24(FP), R8       \
	MOVQ  orders+32(FP), R10   \
	MOVQ  R8, R9               \
	VPXOR Y11, Y11, Y11        \
eight:                             \
	SLOTS(8, SIZE)            \
	LOAD                       \
	MOVL  R13, AX              \
	NOTL  AX                   \
	MOVB  AX, (DI)             \
	COMPRESS(Y12)              \
	COMPRESS(Y13)              \
	ADDQ  $(8*SIZE), SI        \
	INCQ  DI                   \
	SUBQ  $8, CX               \
	JGT   eight                \
	SUBQ  R9, R8               \
	SHRQ  $3, R8               \
	MOVQ  R8, rows+40(FP)      \
	VZEROUPPER                 \
	RET

#define PACKLONG \
	VMOVDQU    (AX), Y3           \
	VPMASKMOVQ (SI), Y3, Y12      \
	VMOVDQU    32(AX), Y3         \
	VPMASKMOVQ 32(SI), Y3, Y13    \
	VPCMPEQQ   Y11, Y12, Y3       \
	VMOVMSKPD  Y3, R13            \
	VPCMPEQQ   Y11, Y13, Y3       \
	VMOVMSKPD  Y3, AX             \
	SHLL       $4, AX             \
	ORL        AX, R13

#define PACKSHORT \
	VMOVDQU      (AX), Y3         \
	VPMASKMOVD   (SI), Y3, Y12    \
	VPCMPEQD     Y11, Y12, Y3     \
	VMOVMSKPS    Y3, R13          \
	VEXTRACTI128 $1, Y12, X13     \
	VPMOVZXDQ    X13, Y13         \
	VPMOVZXDQ    X12, Y12

// func addShortSumsNarrowAVX2(s *stretchSums, counts *uint32, n int, low *uint32, high *uint64) (rows int)
TEXT ·addShortSumsNarrowAVX2(SB), NOSPLIT, $0-48
	OPEN(4)
	VPXOR        Y2, Y2, Y2
	VPBROADCASTD 0(BX), Y8
	VPBROADCASTD 8(BX), Y9
	VPBROADCASTD 16(BX), Y10
	VPBROADCASTD 24(BX), Y11

eight:
	SLOTS(8, 4)
	VMOVDQU    (AX), Y3
	VPMASKMOVD (SI), Y3, Y12
	VPSRLQ     $32, Y12, Y13
	VPXOR      Y14, Y14, Y14
	SHORT(R8, Y8, Y4)
	SHORT(R9, Y9, Y5)
	SHORT(R10, Y10, Y6)
	SHORT(R11, Y11, Y7)
	VPXOR      Y15, Y15, Y15
	VPCMPEQD   Y15, Y12, Y3
	VPCMPEQD   Y15, Y14, Y14
	VPANDN     Y14, Y3, Y14
	VMOVMSKPS  Y3, R13
	ROWS(8)
	VPAND      evens<>(SB), Y12, Y3
	VPADDQ     Y13, Y0, Y0
	VPADDQ     Y3, Y0, Y0
	VPMAXUD    Y12, Y2, Y2
	VMOVMSKPS  Y14, R13
	TESTL      R13, R13
	JEQ        next            // mostly every row has a jump
	POPCNTL    R13, R13
	ADDQ       R13, DEAD(DI)
	VPAND      Y12, Y14, Y14
	VPSRLQ     $32, Y14, Y15
	VPAND      evens<>(SB), Y14, Y14
	VPADDQ     Y15, Y14, Y14
	VPADDQ     ENDED(DI), Y14, Y14
	VMOVDQU    Y14, ENDED(DI)

next:
	ON(8, 4, 4)
	JGT        eight
	VPSRLQ     $32, Y2, Y12
	VPAND      evens<>(SB), Y2, Y13
	VMOVDQU    LARGEST(DI), Y2
	VPXOR      signs<>(SB), Y2, Y2
	LARGER(Y12, Y14, Y15)
	LARGER(Y13, Y14, Y15)
	CLOSE

// func addSumsNarrowAVX2(s *stretchSums, counts *uint64, n int, low *uint32, high *uint64) (rows int)
TEXT ·addSumsNarrowAVX2(SB), NOSPLIT, $0-48
	OPEN(4)
	VMOVDQU LARGEST(DI), Y2
	VPXOR   signs<>(SB), Y2, Y2
	VPXOR   Y11, Y11, Y11

eight:
	SLOTS(8, 8)
	VMOVDQU     (AX), Y3
	VPMASKMOVQ  (SI), Y3, Y8
	VMOVDQU     32(AX), Y3
	VPMASKMOVQ  32(SI), Y3, Y9
	LARGER(Y8, Y14, Y15)
	LARGER(Y9, Y14, Y15)
	VPADDQ      Y8, Y0, Y0
	VPADDQ      Y9, Y0, Y0
	VPERM2I128  $0x20, Y9, Y8, Y12 // the places 0 1 4 5
	VPERM2I128  $0x31, Y9, Y8, Y13 // 2 3 6 7
	VPUNPCKHQDQ Y13, Y12, Y15
	VPUNPCKLQDQ Y13, Y12, Y12      // 0 2 4 6
	VMOVDQA     Y15, Y13           // 1 3 5 7
	VPSRLQ      $32, Y12, Y8
	VPSRLQ      $32, Y13, Y9
	VPXOR       Y14, Y14, Y14
	LONG(R8, 0, Y4)
	LONG(R9, 8, Y5)
	LONG(R10, 16, Y6)
	LONG(R11, 24, Y7)
	VPCMPEQQ    Y11, Y12, Y3
	VPCMPEQQ    Y11, Y13, Y15
	VPBLENDD    $0xAA, Y15, Y3, Y3
	VPCMPEQD    Y11, Y14, Y14
	VPANDN      Y14, Y3, Y14
	VMOVMSKPS   Y3, R13
	ROWS(8)
	VMOVMSKPS   Y14, R13
	TESTL       R13, R13
	JEQ         next
	POPCNTL     R13, R13
	ADDQ        R13, DEAD(DI)
	VPSHUFD     $0xA0, Y14, Y15    // the even places twice
	VPSHUFD     $0xF5, Y14, Y14    // the odd ones
	VPAND       Y12, Y15, Y15
	VPAND       Y13, Y14, Y14
	VPADDQ      Y15, Y14, Y14
	VPADDQ      ENDED(DI), Y14, Y14
	VMOVDQU     Y14, ENDED(DI)

next:
	ON(8, 8, 4)
	JGT         eight
	CLOSE

// func addSumsAVX2(s *stretchSums, counts *uint64, n int, low, high *uint64) (rows int)
TEXT ·addSumsAVX2(SB), NOSPLIT, $0-48
	SUMS(LOADLONG, 8)

// func addShortSumsAVX2(s *stretchSums, counts *uint32, n int, low, high *uint64) (rows int)
TEXT ·addShortSumsAVX2(SB), NOSPLIT, $0-48
	SUMS(LOADSHORT, 4)

// func packCountsAVX2(counts *uint64, n int, occupied, out *uint64, orders *[16][8]uint32) (rows int)
TEXT ·packCountsAVX2(SB), NOSPLIT, $0-48
	PACK(PACKLONG, 8)

// func packShortCountsAVX2(counts *uint32, n int, occupied, out *uint64, orders *[16][8]uint32) (rows int)
TEXT ·packShortCountsAVX2(SB), NOSPLIT, $0-48
	PACK(PACKSHORT, 4)
