//go:build !unix

package nibomo

import "time"

func cpuTime() time.Duration { return 0 }
