package bridge

import (
	"runtime"
	"testing"
)

// below calls itself until about stackRoom bytes are used.
//
//go:noinline
func below(depth int) int {
	var frame [512]byte
	frame[depth%len(frame)] = 1
	if depth == 0 {
		return int(frame[0])
	}
	return below(depth-1) + int(frame[depth%len(frame)])
}

// stackOfMany is the stack, in bytes, of many goroutines that wait after first.
func stackOfMany(first func()) uint64 {
	const many = 200
	var before, after runtime.MemStats
	ready, done := make(chan struct{}), make(chan struct{})
	defer close(done)
	runtime.GC() // what earlier goroutines left is used again otherwise
	runtime.ReadMemStats(&before)
	for range many {
		go func() {
			first()
			ready <- struct{}{}
			<-done
		}()
	}
	for range many {
		<-ready
	}
	runtime.ReadMemStats(&after)
	return (after.StackInuse - before.StackInuse) / many
}

func TestDeepenGivesTheWholeStackAtOnce(t *testing.T) {
	const frames = stackRoom / 1024
	deep, used := stackOfMany(deepen), stackOfMany(func() { deepen(); below(frames) })
	if deep < stackRoom {
		t.Errorf("a deepened goroutine has %d bytes of stack, want %d at least", deep, stackRoom)
	}
	if used > deep+deep/4 {
		t.Errorf("its stack grew from %d to %d bytes when it was used", deep, used)
	}
}

func BenchmarkDeepCall(b *testing.B) {
	run := func(b *testing.B, first func()) {
		done := make(chan int)
		for b.Loop() {
			go func() {
				first()
				done <- below(stackRoom / 1024)
			}()
			<-done
		}
	}
	b.Run("grown", func(b *testing.B) { run(b, func() {}) })
	b.Run("deepened", func(b *testing.B) { run(b, deepen) })
}
