package fsx

import (
	"fmt"
	"io"
	"os"
)

// ReadFile returns the content of the regular file at path, links followed. A
// file longer than limit bytes is an ErrTooLarge; anything but a regular file is
// an ErrNotRegular, found without waiting for the other end of a FIFO. A
// missing file and a dangling link are fs.ErrNotExist.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := openBeside(path, openRegular)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%s: %d bytes, at most %d: %w", path, info.Size(), limit, ErrTooLarge)
	}
	// The size may be stale or, in /proc, zero: only what was read counts.
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s: more than %d bytes: %w", path, limit, ErrTooLarge)
	}
	return data, nil
}

// openRegular looks before it opens, because opening some devices has effects,
// and looks again at what it opened, because the path may have been replaced.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := regular(path, info); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = regular(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func regular(path string, info os.FileInfo) error {
	mode := info.Mode()
	if mode.IsRegular() {
		return nil
	}
	what := "a device"
	switch {
	case mode.IsDir():
		what = "a folder"
	case mode&os.ModeNamedPipe != 0:
		what = "a FIFO"
	case mode&os.ModeSocket != 0:
		what = "a socket"
	}
	return fmt.Errorf("%s is %s: %w", path, what, ErrNotRegular)
}
