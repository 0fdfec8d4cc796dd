// Package auth turns a server into an Authorization header: OAuth 2.1 as the
// MCP authorization specifications of all revisions describe it, by one
// algorithm, and the code by e-mail of services that offer it. It exists so
// that a person signs in once per machine and credential, and is asked again
// only when the authorization server has said for certain that it is over.
//
//	401 ─▶ stored by another process? ─▶ use it
//	        │ no
//	        ▼
//	       refresh (one per credential, across processes: record.lock)
//	        │ definitely refused, or nothing to refresh
//	        ▼
//	       sign-in (one per credential, across processes: login.lock)
//	         leader    discover ─ listen ─ register ─ pending.json ─ browser
//	                   ─ callback ─ exchange ─ store ─ unlock
//	         followers wait for the lock, re-read the store; when the leader
//	                   died, they take over its pending login with its port
//
// What is where: the record of a server (registration and tokens, one JSON
// value, so that they change together) is in the keystore under one name. The
// pending login (state, verifier, redirect URI) is a file of mode 0600 in the
// state folder and lives minutes. The verifier is worth nothing without the
// code, which comes to a listener of the same user; in the keychain it would
// cost every follower a keychain access, and a locked keychain would lose a
// login that is half done.
//
// It refuses: to send a token or a code to any URL that is not https, or http
// on loopback for a server on loopback; to reach private addresses on behalf of
// a public server; to open anything else in a browser, or by a shell; to use
// authorization server metadata that names another issuer; to take an HTML
// page, a 5xx or a broken connection for a refusal; to delete a token that is
// not the one that failed. It never prints, logs or puts into an error any
// part of a secret, and no text of a server's longer than a line.
//
// It knows neither the relay nor a terminal: what it has to say are typed
// errors, which the caller words.
package auth
