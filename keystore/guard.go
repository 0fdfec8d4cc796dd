package keystore

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
)

// maxStuck bounds the goroutines that wait on a keychain which does not
// answer; beyond it calls fail without asking.
const maxStuck = 8

var stuck atomic.Int32

// Stuck returns how many calls were given up on and still wait for the
// keychain. They cannot be cancelled; they end when it answers.
func Stuck() int { return int(stuck.Load()) }

// bounded runs f and gives up on it when ctx is done: the caller gets an
// ErrTimeout, or the context's error if it was cancelled, and a channel that is
// closed when f has ended after all. The channel is nil if f has ended already.
// What f writes may be read only then.
func bounded(ctx context.Context, f func() error) (<-chan struct{}, error) {
	if ctx.Err() != nil {
		return nil, givenUp(ctx)
	}
	if stuck.Load() >= maxStuck {
		return nil, fmt.Errorf("%d earlier calls still wait: %w", maxStuck, ErrTimeout)
	}
	const running, left, ended = 0, 1, 2
	var state atomic.Int32
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			// go-keyring asserts types of what a daemon sends it.
			if p := recover(); p != nil {
				err = fmt.Errorf("%w: the keychain gave a malformed answer", ErrUnavailable)
			}
			if !state.CompareAndSwap(running, ended) {
				stuck.Add(-1)
			}
		}()
		err = f()
	}()
	select {
	case <-done:
		return nil, err
	case <-ctx.Done():
		stuck.Add(1)
		if !state.CompareAndSwap(running, left) { // it ended at the last moment
			stuck.Add(-1)
			<-done
			return nil, err
		}
		return done, givenUp(ctx)
	}
}

func givenUp(ctx context.Context) error {
	if err := ctx.Err(); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return ErrTimeout
}
