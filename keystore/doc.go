// Package keystore is where secrets rest: the keychain of the operating system,
// or, on machines without one and only if the user says so, one sealed file.
// It holds named byte strings and knows nothing of what they mean.
//
// It refuses to step down by itself. A keychain that is locked, absent or slow
// is an error with a hint, never a reason to write a secret elsewhere. It never
// touches a keychain before the first call, never opens a prompt unless a
// person is said to be there, and never waits past its time-out.
//
// A Store may be used by many goroutines at once, and many processes may use
// the same keychain or file: writers take turns under a lock in the state
// folder, readers do not wait for them, and a record is read whole, as it was
// before a write or after it.
package keystore
