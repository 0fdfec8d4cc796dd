package fsx

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// DefaultLockWait is the deadline of a Lock whose context has none.
const DefaultLockWait = 30 * time.Second

// A FileLock is a held lock. It ends with Unlock or with the process.
type FileLock struct {
	once  sync.Once
	file  *os.File
	local chan struct{}
}

// Lock takes the exclusive lock of the file at path, which is created empty
// (mode 0600, folders 0700) and never removed. It waits until the context is
// done, or DefaultLockWait if the context has no deadline; a deadline that
// passes is an ErrLocked, a cancelled context is its cause.
//
// The lock excludes other processes (flock, LockFileEx) and other goroutines
// of this one. It is not re-entrant.
func Lock(ctx context.Context, path string) (*FileLock, error) {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, DefaultLockWait)
		defer cancel()
	}
	if ctx.Err() != nil {
		return nil, lockError(ctx, path)
	}
	l, err := acquire(path, ctx.Done())
	if errors.Is(err, errBusy) {
		return nil, lockError(ctx, path)
	}
	return l, err
}

// acquire returns an errBusy if the lock was not to be had until done is closed.
func acquire(path string, done <-chan struct{}) (*FileLock, error) {
	l, err := open(path)
	if err != nil {
		return nil, err
	}
	select {
	case l.local <- struct{}{}:
	case <-done:
		l.file.Close()
		return nil, errBusy
	}
	// The system offers no wait with a deadline, so it is asked again and
	// again; the first tries are close together because locks are short.
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		err := tryLock(l.file)
		if err == nil {
			return l, nil
		}
		if !errors.Is(err, errBusy) {
			l.drop()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		timer := time.NewTimer(wait/2 + rand.N(wait/2))
		select {
		case <-timer.C:
		case <-done:
			timer.Stop()
			l.drop()
			return nil, errBusy
		}
	}
}

// TryLock is Lock without waiting: a lock that is held is an ErrLocked at once.
func TryLock(path string) (*FileLock, error) {
	l, err := open(path)
	if err != nil {
		return nil, err
	}
	select {
	case l.local <- struct{}{}:
	default:
		l.file.Close()
		return nil, fmt.Errorf("lock %s: %w", path, ErrLocked)
	}
	if err := tryLock(l.file); err != nil {
		l.drop()
		if errors.Is(err, errBusy) {
			err = ErrLocked
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return l, nil
}

// Unlock gives the lock back. Calls after the first do nothing.
func (l *FileLock) Unlock() {
	l.once.Do(func() {
		unlock(l.file)
		l.drop()
	})
}

func (l *FileLock) drop() {
	l.file.Close()
	<-l.local
}

var errBusy = errors.New("busy")

func lockError(ctx context.Context, path string) error {
	err := context.Cause(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("lock %s: %w: %w", path, ErrLocked, err)
	}
	return fmt.Errorf("lock %s: %w", path, err)
}

func open(path string) (*FileLock, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(abs), 0o700); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	if info, err := os.Stat(abs); err == nil {
		if err := regular(abs, info); err != nil {
			return nil, fmt.Errorf("lock: %w", err)
		}
	}
	f, err := os.OpenFile(abs, os.O_RDWR|os.O_CREATE|openNonblock, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	return &FileLock{file: f, local: localLock(abs)}, nil
}

// locals are the locks among the goroutines of this process. flock and
// LockFileEx would do for them on local file systems; over NFS, flock is a lock
// of the whole process. One entry per lock file ever used, so it stays small.
var locals struct {
	mu sync.Mutex
	m  map[string]chan struct{}
}

func localLock(abs string) chan struct{} {
	locals.mu.Lock()
	defer locals.mu.Unlock()
	ch, ok := locals.m[abs]
	if !ok {
		if locals.m == nil {
			locals.m = make(map[string]chan struct{})
		}
		ch = make(chan struct{}, 1)
		locals.m[abs] = ch
	}
	return ch
}
