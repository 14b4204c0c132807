//go:build amd64 && !purego

#include "textflag.h"
#include "sums_amd64.h"

// CLASS adds counts times legal jumps of one class: JUMPS loads those of plane, high has those that lead and mid allow.
// legal is left with the legal ones.
#define CLASS(JUMPS, plane, high, legal, out) \
	JUMPS     plane, K1, legal       \
	VPANDQ    legal, high, legal     \
	VPOPCNTQ  legal, Z20             \
	VPMULLQ   Z12, Z20, Z20          \
	VPADDQ    Z20, out, out

// SLOTS sets K1 to those of the next n addresses that are left; AX has n ones before the last of them.
#define SLOTS(n, MASK, full) \
	CMPQ  CX, $n \
	JGE   full \
	MOVQ  $1, AX \
	SHLQ  CX, AX \
	DECQ  AX \
full: \
	MASK  AX, K1

// OPEN loads the arguments and the sums, but for the largest count; JUMPS repeats a set of jumps, and sets have SET bytes.
#define OPEN(JUMPS, SET) \
	MOVQ s+0(FP), DI \
	MOVQ counts+8(FP), SI \
	MOVQ n+16(FP), CX \
	MOVQ low+24(FP), R8 \
	MOVQ high+32(FP), AX \
	VMOVDQU64 PATHS(DI), Z0 \
	VMOVDQU64 ENDED(DI), Z1 \
	VMOVDQU64 (OUT+0)(DI), Z4 \
	VMOVDQU64 (OUT+64)(DI), Z5 \
	VMOVDQU64 (OUT+128)(DI), Z6 \
	VMOVDQU64 (OUT+192)(DI), Z7 \
	JUMPS 0(AX), Z8 \
	JUMPS 8(AX), Z9 \
	JUMPS 16(AX), Z10 \
	JUMPS 24(AX), Z11 \
	LEAQ  (R8)(CX*SET), R9 \
	LEAQ  (R9)(CX*SET), R10 \
	LEAQ  (R10)(CX*SET), R11 \
	XORQ  DX, DX \
	XORQ  R12, R12

// ON goes on to the next n addresses.
#define ON(n, STEP, SET) \
	ADDQ  $STEP, SI \
	ADDQ  $(n*SET), R8 \
	ADDQ  $(n*SET), R9 \
	ADDQ  $(n*SET), R10 \
	ADDQ  $(n*SET), R11 \
	SUBQ  $n, CX

// CLOSE stores the sums and the result.
#define CLOSE \
	VMOVDQU64 Z0, PATHS(DI) \
	VMOVDQU64 Z1, ENDED(DI) \
	VMOVDQU64 Z2, LARGEST(DI) \
	VMOVDQU64 Z4, (OUT+0)(DI) \
	VMOVDQU64 Z5, (OUT+64)(DI) \
	VMOVDQU64 Z6, (OUT+128)(DI) \
	VMOVDQU64 Z7, (OUT+192)(DI) \
	ADDQ   R12, DEAD(DI) \
	MOVQ   DX, rows+40(FP) \
	VZEROUPPER \
	RET

// SUMS adds the counts of a stretch, eight at a time, that LOAD takes from STEP bytes; JUMPS takes eight sets of jumps, of
// SET bytes each, from a plane. R8 to R11 are the planes of the classes, K1 the addresses of the stretch, K2 those that have rows
// and K3 the rows without a jump, DX and R12 their numbers.
#define SUMS(LOAD, STEP, JUMPS, SET) \
	OPEN(VPBROADCASTQ, SET) \
	VMOVDQU64 LARGEST(DI), Z2 \
	MOVQ $0xFF, AX \
eight: \
	SLOTS(8, KMOVB, full) \
	LOAD (SI), K1, Z12 \
	VPTESTMQ Z12, Z12, K2 \
	VPADDQ   Z12, Z0, Z0 \
	VPMAXUQ  Z12, Z2, Z2 \
	CLASS(JUMPS, (R8), Z8, Z13, Z4) \
	CLASS(JUMPS, (R9), Z9, Z14, Z5) \
	CLASS(JUMPS, (R10), Z10, Z15, Z6) \
	CLASS(JUMPS, (R11), Z11, Z16, Z7) \
	VPORQ  Z13, Z14, Z13 \
	VPORQ  Z15, Z16, Z15 \
	VPORQ  Z13, Z15, Z13 \
	VPTESTNMQ Z13, Z13, K2, K3 \
	VPADDQ Z12, Z1, K3, Z1 \
	KMOVB  K2, BX \
	POPCNTL BX, BX \
	ADDQ   BX, DX \
	KMOVB  K3, BX \
	POPCNTL BX, BX \
	ADDQ   BX, R12 \
	ON(8, STEP, SET) \
	JGT    eight \
	CLOSE

// CLASS16 is CLASS for the sixteen short counts of Z12, with those at odd places in Z13 too, and narrow sets.
#define CLASS16(plane, high, legal, out) \
	VPANDD.Z  plane, high, K1, legal \
	VPOPCNTD  legal, Z20             \
	VPMULUDQ  Z12, Z20, Z21          \
	VPADDQ    Z21, out, out          \
	VPSRLQ    $32, Z20, Z20          \
	VPMULUDQ  Z13, Z20, Z20          \
	VPADDQ    Z20, out, out

// ADD16 adds the short counts of from, those at odd places being in odd too, to sum; Z3 has the even places.
#define ADD16(from, odd, sum) \
	VPADDQ  odd, sum, sum   \
	VPANDQ  from, Z3, Z21   \
	VPADDQ  Z21, sum, sum

// PACK packs counts, eight at a time, that LOAD takes from STEP bytes.
#define PACK(LOAD, STEP) \
	MOVQ counts+0(FP), SI \
	MOVQ n+8(FP), CX \
	MOVQ occupied+16(FP), DI \
	MOVQ out+24(FP), R8 \
	MOVQ R8, R9 \
	MOVQ $0xFF, AX \
eight: \
	SLOTS(8, KMOVB, full) \
	LOAD (SI), K1, Z0 \
	VPTESTMQ Z0, Z0, K2 \
	VPCOMPRESSQ.Z Z0, K2, Z1 \
	VMOVDQU64 Z1, (R8) \
	KMOVB  K2, BX \
	MOVB   BX, (DI) \
	POPCNTL BX, BX \
	LEAQ   (R8)(BX*8), R8 \
	ADDQ   $STEP, SI \
	INCQ   DI \
	SUBQ   $8, CX \
	JGT    eight \
	SUBQ R9, R8 \
	SHRQ $3, R8 \
	MOVQ R8, rows+32(FP) \
	VZEROUPPER \
	RET

// func addSums(s *stretchSums, counts *uint64, n int, low, high *uint64) (rows int)
TEXT ·addSums(SB), NOSPLIT, $0-48
	SUMS(VMOVDQU64.Z, 64, VMOVDQU64.Z, 8)

// func addShortSums(s *stretchSums, counts *uint32, n int, low, high *uint64) (rows int)
TEXT ·addShortSums(SB), NOSPLIT, $0-48
	SUMS(VPMOVZXDQ.Z, 32, VMOVDQU64.Z, 8)

// func addSumsNarrow(s *stretchSums, counts *uint64, n int, low *uint32, high *uint64) (rows int)
TEXT ·addSumsNarrow(SB), NOSPLIT, $0-48
	SUMS(VMOVDQU64.Z, 64, VPMOVZXDQ.Z, 4)

// What SUMS does, for short counts and narrow sets, sixteen at a time.
//
// func addShortSumsNarrow(s *stretchSums, counts *uint32, n int, low *uint32, high *uint64) (rows int)
TEXT ·addShortSumsNarrow(SB), NOSPLIT, $0-48
	OPEN(VPBROADCASTD, 4)
	VPXORQ    Z2, Z2, Z2
	VPTERNLOGQ $255, Z3, Z3, Z3
	VPSRLQ    $32, Z3, Z3
	MOVQ      $0xFFFF, AX

sixteen:
	SLOTS(16, KMOVW, full)
	VMOVDQU32.Z (SI), K1, Z12
	VPTESTMD  Z12, Z12, K2
	VPSRLQ    $32, Z12, Z13
	ADD16(Z12, Z13, Z0)
	VPMAXUD   Z12, Z2, Z2
	CLASS16((R8), Z8, Z14, Z4)
	CLASS16((R9), Z9, Z15, Z5)
	CLASS16((R10), Z10, Z16, Z6)
	CLASS16((R11), Z11, Z17, Z7)
	VPORD     Z14, Z15, Z14
	VPORD     Z16, Z17, Z16
	VPORD     Z14, Z16, Z14
	VPTESTNMD Z14, Z14, K2, K3
	KMOVW     K2, BX
	POPCNTL   BX, BX
	ADDQ      BX, DX
	KMOVW     K3, BX
	TESTL     BX, BX
	JEQ       next            // mostly every row has a jump
	POPCNTL   BX, BX
	ADDQ      BX, R12
	VMOVDQA32.Z Z12, K3, Z12
	VPSRLQ    $32, Z12, Z13
	ADD16(Z12, Z13, Z1)

next:
	ON(16, 64, 4)
	JGT       sixteen
	VPSRLQ    $32, Z2, Z12
	VPANDQ    Z2, Z3, Z2
	VPMAXUQ   Z12, Z2, Z2
	VPMAXUQ   LARGEST(DI), Z2, Z2
	CLOSE

// func packCounts(counts *uint64, n int, occupied, out *uint64) (rows int)
TEXT ·packCounts(SB), NOSPLIT, $0-40
	PACK(VMOVDQU64.Z, 64)

// func packShortCounts(counts *uint32, n int, occupied, out *uint64) (rows int)
TEXT ·packShortCounts(SB), NOSPLIT, $0-40
	PACK(VPMOVZXDQ.Z, 32)
