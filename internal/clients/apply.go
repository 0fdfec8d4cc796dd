package clients

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"bridge/internal/fsx"
)

// keptBackups is how many backups of one file are kept.
const keptBackups = 3

// backupMark stands between a file's name and the time of its backup.
const backupMark = ".bak-bridge-"

// Applied is what Apply did.
type Applied struct {
	Written []string // files
	Backups []string // of those that were there before; they may hold secrets
}

// Apply writes the plans: all of them or none. Each file is backed up beside
// itself, replaced only if it still is what the plan was made from, and read
// again. If one of them fails, those before it are put back, and the error says
// which it was; one that could not be put back is part of the error.
func Apply(plans []*Plan, now time.Time) (Applied, error) {
	var done Applied
	var undo []func() error
	fail := func(err error) (Applied, error) {
		for i := len(undo) - 1; i >= 0; i-- {
			if back := undo[i](); back != nil {
				err = errors.Join(err, fmt.Errorf("put back: %w", back))
			}
		}
		return Applied{}, err
	}
	var written, gone []mark
	for _, p := range plans {
		written, gone = append(written, p.written...), append(gone, p.gone...)
		if !p.Changed() {
			continue
		}
		backup, err := p.backup(now)
		if err != nil {
			return fail(inFile(p.Path, err))
		}
		if backup != "" {
			done.Backups = append(done.Backups, backup)
			undo = append(undo, func() error { return os.Remove(backup) })
		}
		if err := os.MkdirAll(filepath.Dir(p.Path), 0o700); err != nil {
			return fail(inFile(p.Path, err))
		}
		if err := fsx.Swap(p.Path, p.before, p.after); err != nil {
			return fail(inFile(p.Path, err))
		}
		undo = append(undo, p.putBack)
		now, err := fsx.ReadFile(p.Path, MaxFile)
		if err == nil && !bytes.Equal(now, p.after) {
			err = ErrUnsure
		}
		if err != nil {
			return fail(inFile(p.Path, err))
		}
		done.Written = append(done.Written, p.Path)
	}
	if err := note(written, gone); err != nil {
		return fail(err)
	}
	for _, p := range plans {
		pruneBackups(p.Path)
	}
	return done, nil
}

// putBack undoes the write, unless somebody has changed the file since.
func (p *Plan) putBack() error {
	if p.before != nil {
		return fsx.Swap(p.Path, p.after, p.before)
	}
	now, err := fsx.ReadFile(p.Path, MaxFile)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, p.after) {
		return &FileError{Path: p.Path, Err: fsx.ErrChanged}
	}
	return os.Remove(p.Path)
}

// backup writes the file as it was beside it. A link's backup is beside the
// link: what the link points to may be a folder that is published.
func (p *Plan) backup(now time.Time) (string, error) {
	if p.before == nil {
		return "", nil
	}
	// The names are in the order of time even within one second, because the
	// oldest is the one that goes.
	if list := backupsOf(p.Path); len(list) > 0 {
		last, err := time.ParseInLocation(stampForm, list[len(list)-1], now.Location())
		if err == nil && !now.Truncate(time.Second).After(last) {
			now = last.Add(time.Second)
		}
	}
	for {
		path := p.Path + backupMark + now.Format(stampForm)
		err := fsx.Swap(path, nil, p.before)
		if err == nil {
			return path, nil
		}
		if !errors.Is(err, fsx.ErrChanged) {
			return "", fmt.Errorf("back up: %w", err)
		}
		now = now.Add(time.Second) // another process has just made it
	}
}

const stampForm = "20060102150405"

// backupsOf lists the times of a file's backups, the oldest first.
func backupsOf(path string) (stamps []string) {
	dir, base := filepath.Split(path)
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range list {
		if stamp, ok := strings.CutPrefix(e.Name(), base+backupMark); ok && len(stamp) == len(stampForm) && strings.Trim(stamp, "0123456789") == "" {
			stamps = append(stamps, stamp)
		}
	}
	sort.Strings(stamps)
	return stamps
}

// pruneBackups removes all but the latest backups of a file. A failure leaves
// one too many.
func pruneBackups(path string) {
	stamps := backupsOf(path)
	for len(stamps) > keptBackups {
		_ = os.Remove(path + backupMark + stamps[0])
		stamps = stamps[1:]
	}
}
