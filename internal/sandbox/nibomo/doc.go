// Package nibomo is Nibomo's MCP service on this machine: the eight tools, the
// closed SQL dialect, the review queue and FSRS scheduling, kept in SQLite.
//
// It exists so that clients can be tried and tested offline against a server
// that answers as the real one does, word for word where clients look at words,
// and so that a learner can keep a collection here. It is not a stub: what is
// written stays, also when the process is killed.
//
// It refuses to know HTTP, tokens or e-mail codes: a Connection says who calls.
// It has no clock and no randomness of its own that a test could not replace.
//
//	Handle ─ tools/call ─ arguments ─┬─ refused: "MCP error -32602: …", plain text
//	                                 └─ tool ─ workspace ─┬─ envelope {ok:true, data}
//	                                                      └─ fault: envelope {ok:false, error}
package nibomo
