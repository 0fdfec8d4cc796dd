// Package peers holds the tests that run the bridge's binary against servers and
// hosts that nobody here wrote: the official conformance suite, the reference
// server "everything" in both of its HTTP transports, servers of the official Go
// SDK, and the Inspector as a host.
//
// Where a peer can also be reached without the bridge, the same test is run both
// ways, "direct" and "bridged": a peer that changes its mind then fails both, and
// only what fails bridged alone is the bridge's doing.
//
// The tests need Node.js and the packages of .ci/npm, so they are built only with
// the tag peers; .ci/run peers installs what they need and runs them. They never
// skip: what is missing is an error. PEERS_BRIDGE_CMD puts another bridge in
// place of ours, for comparison: a command line in which {url} is replaced.
package peers
