package clients

import "io/fs"

// checkOwner has nothing to ask: the system's access list decides there.
func checkOwner(string, int) error { return nil }

// openToOthers has nothing to look at either: modes are made up there.
func openToOthers(fs.FileInfo) bool { return false }
