package bridge

import (
	"sync"
	"testing"
	"testing/synctest"
)

func TestCrewKeepsItsGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c crew
		waiting := func() int {
			synctest.Wait()
			c.mu.Lock()
			defer c.mu.Unlock()
			return len(c.idle)
		}
		ran := 0
		for range 10 {
			c.run(func() { ran++ })
			if n := waiting(); n != 1 {
				t.Fatalf("%d goroutines wait after one function at a time", n)
			}
		}
		hold := make(chan struct{})
		var busy sync.WaitGroup
		for range maxIdle + 10 {
			busy.Add(1)
			c.run(func() { busy.Done(); <-hold })
		}
		busy.Wait() // all at once, none waits for another
		if n := waiting(); n != 0 {
			t.Errorf("%d goroutines wait while all are busy", n)
		}
		close(hold)
		if n := waiting(); n != maxIdle {
			t.Errorf("%d goroutines wait, want %d", n, maxIdle)
		}
		late := make(chan struct{})
		c.run(func() { <-late })
		c.dismiss()
		if n := waiting(); n != 0 {
			t.Errorf("%d goroutines wait after dismissal", n)
		}
		close(late) // synctest.Test fails if a goroutine is left
		c.run(func() { ran++ })
		synctest.Wait()
		if ran != 11 {
			t.Errorf("%d functions ran, want 11", ran)
		}
	})
}

// A panic costs what it was about, and neither the goroutine nor who waits.
func TestSpawnSurvivesAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cfg Config
		cfg.defaults()
		r := &Relay{log: cfg.Log}
		var wg sync.WaitGroup
		r.spawn(&wg, "a test", func() { panic("no") })
		wg.Wait()
		ran := false
		r.spawn(&wg, "a test", func() { ran = true })
		wg.Wait()
		synctest.Wait()
		r.crew.mu.Lock()
		n := len(r.crew.idle)
		r.crew.mu.Unlock()
		if !ran || n != 1 {
			t.Errorf("ran %v, %d goroutines wait", ran, n)
		}
		r.crew.dismiss()
	})
}
