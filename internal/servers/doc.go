// Package servers holds the user's named MCP servers: the entries of
// config.toml and the presets that make an entry from nothing but a name.
//
// It exists so that a host's configuration can say `bridge serve NAME` and
// nothing more: the URL, the workspace, the way to sign in and the policy of a
// server live here, where changing them does not mean editing another
// program's file.
//
// It refuses to hold a secret. A token that was pasted into the file is an
// error that names the line and the command to use in its place, and the
// package cannot reach the store where secrets do rest. It refuses keys it
// does not know, forms it cannot edit without touching what is not its own,
// and a write over a file that somebody changed in the meantime.
package servers
