//go:build amd64 && !purego

#include "textflag.h"

// PUT appends the BX lowest bits of AX to the stream: R10 its last bits, R11 how many, R12 where they go.
#define PUT \
	SHLXQ R11, AX, DX \
	ORQ   DX, R10     \
	ADDQ  BX, R11     \
	MOVQ  R10, (R12)  \
	MOVQ  R11, DX     \
	SHRQ  $3, DX      \
	ADDQ  DX, R12     \
	MOVQ  R11, DX     \
	ANDQ  $56, DX     \
	SHRXQ DX, R10, R10 \
	ANDQ  $7, R11

// PUTLANE appends a lane of bits and lengths that were stored.
#define PUTLANE(lane) \
	MOVQ bits-128+8*lane(SP), AX   \
	MOVQ lengths-64+8*lane(SP), BX \
	PUT

// Eight values at a time become a symbol each, and remaining bits with their number. The remaining bits of two
// neighbours are put side by side, and those of four. They are appended as four, two or one at a time, by how many fit
// into 56 bits: with those of the stream that are no whole byte they are a word.
//
// func split512(v *uint64, n int, symbols, out *byte, s *splitting)
TEXT ·split512(SB), NOSPLIT, $128-40
	MOVQ v+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ symbols+16(FP), DI
	MOVQ out+24(FP), R8
	MOVQ s+32(FP), R9
	MOVQ 0(R9), R10
	MOVQ 8(R9), R11
	MOVQ 16(R9), R12
	ADDQ R8, R12
	VPBROADCASTQ 24(R9), Z20   // shift
	VPBROADCASTQ 32(R9), Z21   // drop
	VPBROADCASTQ 40(R9), Z22   // rest
	VPBROADCASTQ 48(R9), Z23   // spun
	VPBROADCASTQ 56(R9), Z24   // tail
	VPBROADCASTQ 64(R9), Z25   // mantissa
	VPXORQ     Z26, Z26, Z26
	VPTERNLOGQ $255, Z27, Z27, Z27
	MOVQ       $56, AX
	VPBROADCASTQ AX, Z28

eight:
	VMOVDQU64 (SI), Z0
	VPSRLVQ   Z21, Z0, Z1
	VPSRLVQ   Z20, Z0, Z2
	VPANDQ    Z23, Z2, Z2
	VPSLLVQ   Z22, Z2, Z2
	VPORQ     Z2, Z1, Z1      // the spun value
	VPLZCNTQ  Z1, Z2
	VPSUBQ    Z2, Z24, Z2
	VPMAXSQ   Z26, Z2, Z2     // the number of its remaining bits
	VPSLLVQ   Z25, Z2, Z3
	VPSRLVQ   Z2, Z1, Z4
	VPADDQ    Z3, Z4, Z3
	VPMOVQB   Z3, (DI)        // the symbols
	VPSLLVQ   Z2, Z27, Z5
	VPANDNQ   Z1, Z5, Z5      // the remaining bits
	VPUNPCKHQDQ Z5, Z5, Z6
	VPUNPCKLQDQ Z2, Z2, Z7
	VPUNPCKHQDQ Z2, Z2, Z8
	VPSLLVQ   Z7, Z6, Z6
	VPORQ     Z6, Z5, Z9      // those of two, in even lanes
	VPADDQ    Z7, Z8, Z8
	VPCMPUQ   $6, Z28, Z8, K1
	KMOVW     K1, AX
	TESTL     AX, AX
	JNE       ones
	VPERMQ    $0xEE, Z9, Z10
	VPERMQ    $0xEE, Z8, Z11
	VPSLLVQ   Z8, Z10, Z10
	VPORQ     Z9, Z10, Z10    // those of four, in lanes 0 and 4
	VPADDQ    Z8, Z11, Z11
	VPCMPUQ   $6, Z28, Z11, K1
	KMOVW     K1, AX
	TESTL     $0x11, AX
	JNE       twos
	VMOVQ     X10, AX
	VMOVQ     X11, BX
	PUT
	VEXTRACTI64X4 $1, Z10, Y10
	VEXTRACTI64X4 $1, Z11, Y11
	VMOVQ     X10, AX
	VMOVQ     X11, BX
	PUT

next:
	ADDQ $64, SI
	ADDQ $8, DI
	SUBQ $8, CX
	JGT  eight
	VZEROUPPER
	SUBQ R8, R12
	MOVQ R10, 0(R9)
	MOVQ R11, 8(R9)
	MOVQ R12, 16(R9)
	RET

twos:
	VMOVDQU64 Z9, bits-128(SP)
	VMOVDQU64 Z8, lengths-64(SP)
	PUTLANE(0)
	PUTLANE(2)
	PUTLANE(4)
	PUTLANE(6)
	JMP next

ones:
	VMOVDQU64 Z5, bits-128(SP)
	VMOVDQU64 Z2, lengths-64(SP)
	PUTLANE(0)
	PUTLANE(1)
	PUTLANE(2)
	PUTLANE(3)
	PUTLANE(4)
	PUTLANE(5)
	PUTLANE(6)
	PUTLANE(7)
	JMP next
