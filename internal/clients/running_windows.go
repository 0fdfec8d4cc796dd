package clients

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// processes walks a snapshot. Where a program's path may not be read, its name
// is all there is.
func processes() []process {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = windows.CloseHandle(snapshot) }()
	var out []process
	entry := windows.ProcessEntry32{}
	entry.Size = uint32(unsafe.Sizeof(entry))
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		name := process(windows.UTF16ToString(entry.ExeFile[:]))
		if path, ok := imagePath(entry.ProcessID); ok {
			name = path
		}
		out = append(out, name)
	}
	return out
}

func imagePath(pid uint32) (process, bool) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return "", false
	}
	defer func() { _ = windows.CloseHandle(h) }()
	buf := make([]uint16, windows.MAX_LONG_PATH)
	size := uint32(len(buf))
	if windows.QueryFullProcessImageName(h, 0, &buf[0], &size) != nil {
		return "", false
	}
	return process(windows.UTF16ToString(buf[:size])), true
}
