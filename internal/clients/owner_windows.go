package clients

// checkOwner has nothing to ask: the system's access list decides there.
func checkOwner(string, int) error { return nil }
