// Package bridge relays MCP between a host on stdio and a remote server on
// HTTP.
//
// It exists so that a desktop client which only speaks stdio can use a remote
// server, without either end noticing that something stands between them. It
// carries messages as the bytes they came in, reads of each no more than
// routing and policy need, answers every request, and sends nothing twice that
// may have been processed.
//
// It refuses to know any service, any user interface, any secret store and any
// SDK: what it needs of them it asks through the small interfaces in Config.
package bridge
