// Package clients knows the AI clients that start MCP servers: where each
// keeps its configuration, what an entry looks like there, and how to put one
// in or take one out without touching anything else of the file.
//
//	table.go   the clients: paths on each system, format, root key, shape
//	json.go    one editor a format: json.go, toml.go, yaml.go. An editor finds
//	           the bytes of one entry and replaces those; what it made is
//	           decoded and compared with what was there (yaml_tree.go: how
//	           YAML is read, and what of it is refused)
//	plan.go    read, edit, diff; nothing is written yet
//	apply.go   backup, compare-and-swap, read again; all files or none
//	marks.go   which entries are ours, so that only those are taken out
//	remote.go  which entries start mcp-remote, and with which arguments
//	signins.go what mcp-remote keeps of its sign-ins, to be read and left alone
//
// It refuses to write a secret, by construction: what can be written is the
// absolute path of a program, the name of a server, and variables of a short
// list that name a path or a choice (variables.go). It refuses a file that
// it does not understand completely on the way to the entry (duplicate keys,
// another type than expected, broken syntax), a file that somebody changed in
// the meantime, and an entry that it did not make. Clients that rewrite their
// file while they run are asked about first (running.go). It starts no
// program and opens no connection.
package clients
