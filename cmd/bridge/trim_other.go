//go:build !linux

package main

// trimMapped does nothing here; see trim_linux.go.
func trimMapped() {}
