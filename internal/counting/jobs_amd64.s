//go:build amd64 && !purego

#include "textflag.h"

// The fields of a job, and the size of one; those of a pairList, which has 8 bytes.
#define PARENT  0
#define PARENT2 8
#define RUN     16
#define RUN2    20
#define LIST    24
#define PAIRS   28
#define JOB     32
#define AHEAD   (2*JOB) // jobsToCome
#define TO      0
#define FROM    4

// Scalar on purpose: a pair is two loads of ranks, one of a count and one add in memory, near three loads a cycle. The
// gather of AVX-512 takes a third of the time for eight stretches' addresses in a row, but only a quarter of the addresses of a stretch
// have a pair in a list; with a scatter for the others it is no faster.
//
// Each quad of pairs fetches one more line of the parent stretch of a later job. The pairs that pad the last quad are
// (0, 0): what they added is taken back, which is cheaper than a branch on their number that is mispredicted.
//
// LOAD loads a count of the parent, of P bytes, ADD adds it to one of the stretch, of R bytes, SUB takes it back.

// PAIR adds one parent address to one stretch address and to the sum.
#define PAIR(i, LOAD, P, ADD, R) \
	MOVWLZX i*2(R9), AX         \
	MOVWLZX i*2(R8), BX         \
	LOAD    (SI)(AX*P), DX      \
	ADD     DX, (DI)(BX*R)      \
	ADDQ    DX, R13

// TWIN does the same for two stretches.
#define TWIN(i, LOAD, P, ADD, R) \
	PAIR(i, LOAD, P, ADD, R)    \
	LOAD    (R11)(AX*P), DX     \
	ADD     DX, (R10)(BX*R)     \
	ADDQ    DX, R13

// BEGIN begins a function, RANKS finds the pairs of a job, OPEN opens one and fetches the first lines of the pairs of a
// later one, CLOSE takes back the pads of a stretch, NEXT adds up the job's sum.
#define BEGIN \
	MOVQ jobs+0(FP), R12   \
	XORQ AX, AX            \
	MOVQ AX, lo+48(FP)  \
	MOVQ AX, hi+56(FP)

#define RANKS(job) \
	MOVLQSX (job+LIST)(R12), AX       \
	SHLQ    $3, AX                    \
	ADDQ    lists+32(FP), AX          \
	MOVQ    ranks+40(FP), BX          \
	MOVL    TO(AX), R8                \
	LEAQ    (BX)(R8*2), R8            \
	MOVL    FROM(AX), R9              \
	LEAQ    (BX)(R9*2), R9

#define OPEN(P, R) \
	RANKS(AHEAD)                      \
	PREFETCHT0 (R8)                   \
	PREFETCHT0 (R9)                   \
	PREFETCHT0 64(R8)                 \
	PREFETCHT0 64(R9)                 \
	PREFETCHT0 128(R8)                \
	PREFETCHT0 128(R9)                \
	RANKS(0)                          \
	MOVQ    stretch+16(FP), AX            \
	MOVL    RUN(R12), DI              \
	LEAQ    (AX)(DI*R), DI            \
	MOVQ    parent+24(FP), DX         \
	MOVQ    PARENT(R12), SI           \
	LEAQ    (DX)(SI*P), SI            \
	MOVQ    (AHEAD+PARENT)(R12), R14  \
	LEAQ    (DX)(R14*P), R14          \
	MOVL    PAIRS(R12), CX            \
	XORQ    R13, R13                  \
	ADDQ    $3, CX                    \
	SHRQ    $2, CX

#define OPEN2(P, R) \
	OPEN(P, R)                        \
	MOVL    RUN2(R12), R10            \
	LEAQ    (AX)(R10*R), R10          \
	MOVQ    PARENT2(R12), R11         \
	LEAQ    (DX)(R11*P), R11          \
	MOVQ    (AHEAD+PARENT2)(R12), R15 \
	LEAQ    (DX)(R15*P), R15

#define CLOSE(stretch, parent, LOAD, SUB) \
	XORQ  CX, CX         \
	SUBL  PAIRS(R12), CX \
	ANDQ  $3, CX         \
	LOAD  (parent), AX   \
	IMULQ AX, CX         \
	SUB   CX, (stretch)      \
	SUBQ  CX, R13

#define NEXT(loop) \
	ADDQ R13, lo+48(FP) \
	ADCQ $0, hi+56(FP)  \
	ADDQ $JOB, R12         \
	DECQ n+8(FP)           \
	JNZ  loop

#define SINGLES(LOAD, P, ADD, SUB, R) \
	BEGIN                              \
next:                                  \
	OPEN(P, R)                         \
quad:                                  \
	PREFETCHT0 (R14)                   \
	PAIR(0, LOAD, P, ADD, R)           \
	PAIR(1, LOAD, P, ADD, R)           \
	PAIR(2, LOAD, P, ADD, R)           \
	PAIR(3, LOAD, P, ADD, R)           \
	ADDQ $64, R14                      \
	ADDQ $8, R8                        \
	ADDQ $8, R9                        \
	DECQ CX                            \
	JNZ  quad                          \
	CLOSE(DI, SI, LOAD, SUB)           \
	NEXT(next)                         \
	RET

#define TWINS(LOAD, P, ADD, SUB, R) \
	BEGIN                              \
next:                                  \
	OPEN2(P, R)                        \
quad:                                  \
	PREFETCHT0 (R14)                   \
	PREFETCHT0 (R15)                   \
	TWIN(0, LOAD, P, ADD, R)           \
	TWIN(1, LOAD, P, ADD, R)           \
	TWIN(2, LOAD, P, ADD, R)           \
	TWIN(3, LOAD, P, ADD, R)           \
	ADDQ $64, R14                      \
	ADDQ $64, R15                      \
	ADDQ $8, R8                        \
	ADDQ $8, R9                        \
	DECQ CX                            \
	JNZ  quad                          \
	CLOSE(DI, SI, LOAD, SUB)           \
	CLOSE(R10, R11, LOAD, SUB)         \
	NEXT(next)                         \
	RET

// func addShortSingles(jobs *job, n int, stretch, parent unsafe.Pointer, lists *pairList, ranks *uint16) (lo, hi uint64)
TEXT ·addShortSingles(SB), NOSPLIT, $0-64
	SINGLES(MOVL, 4, ADDL, SUBL, 4)

// func addShortTwins(jobs *job, n int, stretch, parent unsafe.Pointer, lists *pairList, ranks *uint16) (lo, hi uint64)
TEXT ·addShortTwins(SB), NOSPLIT, $0-64
	TWINS(MOVL, 4, ADDL, SUBL, 4)

// func addWideningSingles(jobs *job, n int, stretch, parent unsafe.Pointer, lists *pairList, ranks *uint16) (lo, hi uint64)
TEXT ·addWideningSingles(SB), NOSPLIT, $0-64
	SINGLES(MOVL, 4, ADDQ, SUBQ, 8)

// func addWideningTwins(jobs *job, n int, stretch, parent unsafe.Pointer, lists *pairList, ranks *uint16) (lo, hi uint64)
TEXT ·addWideningTwins(SB), NOSPLIT, $0-64
	TWINS(MOVL, 4, ADDQ, SUBQ, 8)

// func addSingles(jobs *job, n int, stretch, parent unsafe.Pointer, lists *pairList, ranks *uint16) (lo, hi uint64)
TEXT ·addSingles(SB), NOSPLIT, $0-64
	SINGLES(MOVQ, 8, ADDQ, SUBQ, 8)

// func addTwins(jobs *job, n int, stretch, parent unsafe.Pointer, lists *pairList, ranks *uint16) (lo, hi uint64)
TEXT ·addTwins(SB), NOSPLIT, $0-64
	TWINS(MOVQ, 8, ADDQ, SUBQ, 8)
