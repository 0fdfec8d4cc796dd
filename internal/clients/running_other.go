//go:build !linux && !darwin && !windows

package clients

func processes() []process { return nil }
