package cards

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// LocalZone is the IANA name of the time zone here. It decides for which of
// the learner's days a review counts. Where the system does not tell a name,
// one of the names that IANA has for whole hours is right for today.
func LocalZone() string {
	if tz := strings.TrimPrefix(os.Getenv("TZ"), ":"); tz != "" && validZone(tz) {
		return tz
	}
	if name := systemZone(); name != "" && validZone(name) {
		return name
	}
	_, offset := time.Now().Zone()
	return zoneAt(offset)
}

func validZone(name string) bool {
	if name == "Local" || name == "" || strings.HasPrefix(name, "/") || strings.Contains(name, "..") {
		return false
	}
	_, err := time.LoadLocation(name)
	return err == nil
}

// zoneAt names the zone that is seconds east of Greenwich. The sign in these
// names is POSIX's: Etc/GMT-7 is seven hours east.
func zoneAt(seconds int) string {
	hours := (seconds + 1800) / 3600
	if seconds < -1800 {
		hours = (seconds - 1800) / 3600
	}
	switch {
	case hours == 0:
		return "UTC"
	case hours > 14, hours < -12:
		return "UTC"
	}
	return fmt.Sprintf("Etc/GMT%+d", -hours)
}

// systemZone reads the name from where Unix systems keep it.
func systemZone() string {
	if target, err := os.Readlink("/etc/localtime"); err == nil {
		if _, name, ok := strings.Cut(target, "zoneinfo/"); ok {
			return name
		}
	}
	if name, err := os.ReadFile("/etc/timezone"); err == nil && len(name) < 100 {
		return strings.TrimSpace(string(name))
	}
	return ""
}
