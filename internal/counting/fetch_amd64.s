//go:build amd64 && !purego

#include "textflag.h"

#define PREFETCH(size) \
	MOVQ counts+0(FP), SI \
	MOVQ ranks+8(FP), DI  \
	MOVQ n+16(FP), CX     \
next: \
	MOVWLZX (DI), AX             \
	ADDQ    $2, DI               \
	PREFETCHT0 (SI)(AX*size)     \
	DECQ    CX                   \
	JNZ     next                 \
	RET

// func prefetch4(counts *uint32, ranks *uint16, n int)
TEXT ·prefetch4(SB), NOSPLIT, $0-24
	PREFETCH(4)

// func prefetch8(counts *uint64, ranks *uint16, n int)
TEXT ·prefetch8(SB), NOSPLIT, $0-24
	PREFETCH(8)
