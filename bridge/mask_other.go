//go:build !amd64

package bridge

func masks(block *[blockLen]byte) (slash, quote, other uint64) { return masksGo(block) }
