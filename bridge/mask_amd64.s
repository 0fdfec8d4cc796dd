#include "textflag.h"

// PIECE makes the masks of 16 bytes and shifts them to where they belong.
// SSE2 is part of every amd64, so nothing has to be asked of the processor.
#define PIECE(at) \
	MOVOU    at(SI), X0 \
	MOVO     X0, X1     \
	MOVO     X0, X2     \
	MOVO     X0, X3     \
	PCMPEQB  X5, X1     \
	PCMPEQB  X6, X2     \
	PMINUB   X7, X3     \
	PCMPEQB  X0, X3     \
	POR      X0, X3     \
	PMOVMSKB X1, R8     \
	PMOVMSKB X2, R9     \
	PMOVMSKB X3, R10    \
	SHLQ     $at, R8    \
	SHLQ     $at, R9    \
	SHLQ     $at, R10   \
	ORQ      R8, R11    \
	ORQ      R9, R12    \
	ORQ      R10, R13

// func masks(block *[64]byte) (slash, quote, other uint64)
TEXT ·masks(SB), NOSPLIT, $0-32
	MOVQ       block+0(FP), SI
	MOVQ       $0x5c5c5c5c5c5c5c5c, AX // backslashes
	MOVQ       AX, X5
	PUNPCKLQDQ X5, X5
	MOVQ       $0x2222222222222222, AX // quotes
	MOVQ       AX, X6
	PUNPCKLQDQ X6, X6
	MOVQ       $0x1f1f1f1f1f1f1f1f, AX // the last control character
	MOVQ       AX, X7
	PUNPCKLQDQ X7, X7
	XORQ       R11, R11
	XORQ       R12, R12
	XORQ       R13, R13
	PIECE(0)
	PIECE(16)
	PIECE(32)
	PIECE(48)
	MOVQ       R11, slash+8(FP)
	MOVQ       R12, quote+16(FP)
	MOVQ       R13, other+24(FP)
	RET
