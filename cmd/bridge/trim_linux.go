package main

import (
	"bufio"
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// trimMapped tells the kernel that the pages of the program's own code and
// constants need not stay mapped. Starting touches several megabytes that
// serving never needs again, most of them through the kernel's habit of mapping
// the neighbours of a page as well; a desktop has many bridges that sit there
// all day. The pages are read-only and stay in the page cache, so that what is
// needed after all comes back with a minor fault. Nothing depends on it.
func trimMapped() {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer f.Close() //nolint:errcheck // it was only read
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		// 00400000-00f86000 r-xp 00000000 fe:00 5243 /usr/bin/bridge
		fields := bytes.Fields(lines.Bytes())
		if len(fields) != 6 || string(fields[5]) != exe || fields[1][1] == 'w' {
			continue
		}
		from, to, ok := bytes.Cut(fields[0], []byte{'-'})
		if !ok {
			continue
		}
		start, err1 := strconv.ParseUint(string(from), 16, 64)
		end, err2 := strconv.ParseUint(string(to), 16, 64)
		if err1 != nil || err2 != nil || end <= start {
			continue
		}
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(start), uintptr(end-start), unix.MADV_DONTNEED) // advice may be ignored
	}
}
