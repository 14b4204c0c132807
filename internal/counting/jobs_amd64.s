//go:build amd64 && !purego

#include "textflag.h"

// The fields of a job, and the size of one.
#define RUN    0
#define PARENT 8
#define TO     16
#define FROM   24
#define PAIRS  32
#define JOB    40
#define AHEAD  (2*JOB) // jobsToCome

// PAIR adds one parent slot to one run slot and to the sum.
#define PAIR(i) \
	MOVWLZX i*2(R9), AX         \
	MOVWLZX i*2(R8), BX         \
	MOVQ    (SI)(AX*8), AX      \
	ADDQ    AX, (DI)(BX*8)      \
	ADDQ    AX, R11

// func addJobsAsm(jobs *job, n int) (sumLo, sumHi uint64)
//
// Scalar on purpose: a pair is two loads of ranks, one of a count and one add in memory, near three loads a cycle. The
// eight-lane gather of AVX-512 takes longer than the eight loads it replaces, and needs a scatter on top.
//
// Each quad of pairs fetches one more line of the parent run of a later job. The pairs that pad the last quad are
// (0, 0): what they added is taken back, which is cheaper than a branch on their number that is mispredicted.
TEXT ·addJobsAsm(SB), NOSPLIT, $0-32
	MOVQ jobs+0(FP), R12
	MOVQ n+8(FP), R13
	XORQ R10, R10              // low word of the sum
	MOVQ R10, sumHi+24(FP)

next:
	MOVQ RUN(R12), DI
	MOVQ PARENT(R12), SI
	MOVQ TO(R12), R8
	MOVQ FROM(R12), R9
	MOVQ PAIRS(R12), CX
	MOVQ (AHEAD+PARENT)(R12), DX
	XORQ R11, R11              // sum of the job
	ADDQ $3, CX
	SHRQ $2, CX

quad:
	PREFETCHT0 (DX)
	PAIR(0)
	PAIR(1)
	PAIR(2)
	PAIR(3)
	ADDQ $64, DX
	ADDQ $8, R8
	ADDQ $8, R9
	DECQ CX
	JNZ  quad

	XORQ  CX, CX
	SUBQ  PAIRS(R12), CX
	ANDQ  $3, CX               // pads
	IMULQ (SI), CX
	SUBQ  CX, (DI)
	SUBQ  CX, R11
	ADDQ  R11, R10
	ADCQ  $0, sumHi+24(FP)
	ADDQ  $JOB, R12
	DECQ  R13
	JNZ   next

	MOVQ R10, sumLo+16(FP)
	RET
