package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// userHz is the unit of the times in /proc/PID/stat, which Linux fixes at a
// hundredth of a second on every platform this program is built for.
const userHz = 100

// memory returns the resident memory of a process, in bytes, now and at its
// highest.
func memory(pid int) (now, peak float64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, err
	}
	if now, err = statusKB(status, "VmRSS:"); err != nil {
		return 0, 0, err
	}
	peak, err = statusKB(status, "VmHWM:")
	return now * 1024, peak * 1024, err
}

func statusKB(status []byte, field string) (float64, error) {
	_, rest, ok := bytes.Cut(status, []byte("\n"+field))
	words := bytes.Fields(rest)
	if !ok || len(words) == 0 {
		return 0, fmt.Errorf("no %s in a process's status", field)
	}
	return strconv.ParseFloat(string(words[0]), 64)
}

// cpu returns the processor time of a process, in seconds.
func cpu(pid int) (float64, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The program's name, in parentheses, may hold anything.
	words := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(words) < 13 {
		return 0, fmt.Errorf("unknown form of /proc/%d/stat", pid)
	}
	ticks := 0.0
	for _, word := range words[11:13] { // utime, stime
		n, err := strconv.ParseFloat(string(word), 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return ticks / userHz, nil
}
