//go:build !darwin

package main

// quarantined is a matter of macOS.
func quarantined(string) bool { return false }
