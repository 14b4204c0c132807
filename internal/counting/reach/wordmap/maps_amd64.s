//go:build amd64 && !purego

#include "textflag.h"

// OPENJOB sets DI and SI to the words of the job at R12, R10 to its value times Step, where pairs have the number of the
// map, and R13 to minus the number of pairs.
#define OPENJOB \
	MOVQ dst+0(FP), DI  \
	MOVQ src+8(FP), SI  \
	MOVL 0(R12), AX     \
	MOVL 4(R12), CX     \
	MOVL 8(R12), R10    \
	LEAQ (DI)(AX*8), DI \
	LEAQ (SI)(CX*8), SI \
	SHLQ $35, R10       \
	MOVQ n+40(FP), R13  \
	NEGQ R13

// PAIR leaves the places of the words of pair R13 in BX (to) and CX (from), and the number of the map times Step in DX.
// The pair is one load for all three: loads are what it waits for.
#define PAIR \
	MOVQ    (R8)(R13*8), DX \
	XORQ    R10, DX         \
	MOVWLZX DX, BX          \
	MOVL    DX, CX          \
	SHRL    $16, CX         \
	SHRQ    $32, DX

// GATHER permutes the word of pair R13 into CX and leaves the rest as PAIR does.
#define GATHER \
	PAIR                             \
	VPBROADCASTQ (SI)(CX*8), Z0      \
	VPSHUFBITQMB (R9)(DX*8), Z0, K1  \
	KMOVQ        K1, CX

// func permutePairsAsm(dst, src *uint64, jobs *Job, numJobs int, list *Pair, n int, index *[64]uint8)
//
// VPSHUFBITQMB gathers 64 bits of a word, each named by a byte, into a mask register: any permutation of a word's bits.
TEXT ·permutePairsAsm(SB), NOSPLIT, $0-56
	MOVQ jobs+16(FP), R12
	MOVQ numJobs+24(FP), R14
	MOVQ list+32(FP), R8
	MOVQ n+40(FP), R13
	MOVQ index+48(FP), R9
	LEAQ (R8)(R13*8), R8

permuteJob:
	OPENJOB

permuteLoop:
	GATHER
	ORQ  CX, (DI)(BX*8)
	INCQ R13
	JNZ  permuteLoop
	ADDQ $12, R12
	DECQ R14
	JNZ  permuteJob
	VZEROUPPER
	RET

// func permutePairsMaskedAsm(dst, src *uint64, jobs *Job, numJobs int, list *Pair, n int, index *[64]uint8, mask *uint64)
//
// The same, and of the result only what is in the mask.
TEXT ·permutePairsMaskedAsm(SB), NOSPLIT, $0-64
	MOVQ jobs+16(FP), R12
	MOVQ numJobs+24(FP), R14
	MOVQ list+32(FP), R8
	MOVQ n+40(FP), R13
	MOVQ index+48(FP), R9
	MOVQ mask+56(FP), R11
	LEAQ (R8)(R13*8), R8

maskedJob:
	OPENJOB

maskedLoop:
	GATHER
	ANDQ (R11)(DX*1), CX
	ORQ  CX, (DI)(BX*8)
	INCQ R13
	JNZ  maskedLoop
	ADDQ $12, R12
	DECQ R14
	JNZ  maskedJob
	VZEROUPPER
	RET

// PERMUTE permutes the bits of the word in all lanes of Y0 into CX, by the byte map at R9 + DX: two vectors of bytes
// of the word, and two of the bit that is looked for in each. Y15 is zero.
#define PERMUTE \
	VPSHUFB   (R9)(DX*1), Y0, Y1    \
	VPSHUFB   32(R9)(DX*1), Y0, Y2  \
	VPAND     64(R9)(DX*1), Y1, Y1  \
	VPAND     96(R9)(DX*1), Y2, Y2  \
	VPCMPEQB  Y15, Y1, Y1           \
	VPCMPEQB  Y15, Y2, Y2           \
	VPMOVMSKB Y1, AX                \
	VPMOVMSKB Y2, CX                \
	SHLQ      $32, CX               \
	ORQ       AX, CX                \
	NOTQ      CX

// func permutePairsAVX2(dst, src *uint64, jobs *Job, numJobs int, list *Pair, n int, maps *byteMap)
TEXT ·permutePairsAVX2(SB), NOSPLIT, $0-56
	MOVQ  jobs+16(FP), R12
	MOVQ  numJobs+24(FP), R14
	MOVQ  list+32(FP), R8
	MOVQ  n+40(FP), R13
	MOVQ  maps+48(FP), R9
	LEAQ  (R8)(R13*8), R8
	VPXOR Y15, Y15, Y15

bytesJob:
	OPENJOB

bytesLoop:
	PAIR
	SHLQ         $4, DX             // a map has 16 times Step bytes
	VPBROADCASTQ (SI)(CX*8), Y0
	PERMUTE
	ORQ          CX, (DI)(BX*8)
	INCQ         R13
	JNZ          bytesLoop
	ADDQ         $12, R12
	DECQ         R14
	JNZ          bytesJob
	VZEROUPPER
	RET

// func orWordsAsm(dst, src *uint64, n int)
TEXT ·orWordsAsm(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	SUBQ $8, CX
	JLT  wordsTail

wordsLoop:
	VMOVDQU64 (DI), Z0
	VPORQ     (SI), Z0, Z0
	VMOVDQU64 Z0, (DI)
	ADDQ      $64, DI
	ADDQ      $64, SI
	SUBQ      $8, CX
	JGE       wordsLoop

wordsTail:
	ADDQ      $8, CX
	MOVL      $1, AX
	SHLL      CX, AX
	DECL      AX
	KMOVW     AX, K1
	VMOVDQU64 (DI), K1, Z0
	VMOVDQU64 (SI), K1, Z1
	VPORQ     Z1, Z0, Z0
	VMOVDQU64 Z0, K1, (DI)
	VZEROUPPER
	RET

// func orPairsAsm(dst, src *uint64, list *Pair, n int)
TEXT ·orPairsAsm(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ list+16(FP), R8
	MOVQ n+24(FP), R13
	LEAQ (R8)(R13*8), R8
	NEGQ R13

orLoop:
	MOVWLZX 0(R8)(R13*8), BX
	MOVWLZX 2(R8)(R13*8), CX
	MOVQ    (SI)(CX*8), AX
	ORQ     AX, (DI)(BX*8)
	INCQ    R13
	JNZ     orLoop
	RET

// func shuffleWordsAsm(dst, src *uint64, targets *Target, n int, index *[64]uint8, mask *uint64, value uint32)
TEXT ·shuffleWordsAsm(SB), NOSPLIT, $0-52
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ targets+16(FP), R8
	MOVQ n+24(FP), R13
	MOVQ index+32(FP), R9
	MOVQ mask+40(FP), R11
	MOVL value+48(FP), R10

shuffleLoop:
	VPBROADCASTQ (SI), Z0
	MOVL         0(R8), BX
	MOVL         4(R8), DX
	XORL         R10, DX
	MOVQ         (R11)(DX*8), AX
	SHLQ         $6, DX
	VMOVDQU64    (R9)(DX*1), Z1
	VPSHUFBITQMB Z1, Z0, K1
	KMOVQ        K1, CX
	ANDQ         CX, AX
	ORQ          AX, (DI)(BX*8)
	ADDQ         $8, SI
	ADDQ         $8, R8
	DECQ         R13
	JNZ          shuffleLoop
	VZEROUPPER
	RET

// func shuffleWordsAVX2(dst, src *uint64, targets *Target, n int, maps *byteMap, value uint32)
TEXT ·shuffleWordsAVX2(SB), NOSPLIT, $0-44
	MOVQ  dst+0(FP), DI
	MOVQ  src+8(FP), SI
	MOVQ  targets+16(FP), R8
	MOVQ  n+24(FP), R13
	MOVQ  maps+32(FP), R9
	MOVL  value+40(FP), R10
	VPXOR Y15, Y15, Y15

shuffleBytesLoop:
	VPBROADCASTQ (SI), Y0
	MOVL         0(R8), BX
	MOVL         4(R8), DX
	XORL         R10, DX
	SHLQ         $7, DX
	PERMUTE
	ORQ          CX, (DI)(BX*8)
	ADDQ         $8, SI
	ADDQ         $8, R8
	DECQ         R13
	JNZ          shuffleBytesLoop
	VZEROUPPER
	RET
