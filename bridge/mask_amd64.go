package bridge

// masks sets a bit for each byte of block that is a backslash, a quote, and a
// control character or part of a multi-byte character. masksGo says the same
// in Go and is what other processors use; a test compares the two.
//
//go:noescape
func masks(block *[blockLen]byte) (slash, quote, other uint64)
