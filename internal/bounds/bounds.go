// Package bounds keeps what is done with files in proportion to their length: it bounds the time of the processor, the memory and the
// output that reading, checking, lowering and drawing may take. It does not bound simulations, which have limits of their own.
package bounds

import (
	"context"
	"errors"
	"fmt"
	"runtime/metrics"
	"time"

	"spvsim/internal/files"
)

// ErrLimit says that work took more than it may; every error of this package wraps it.
var ErrLimit = errors.New("limit reached")

// Allowance is what work may take.
type Allowance struct {
	Time   time.Duration // of the processor, all threads together
	Memory int64         // bytes, garbage included
	Output int64         // bytes
}

// What work with short files may take, and how much more for each byte of the files that were read.
const (
	leastTime     = 25 * time.Second
	timePerByte   = 10 * time.Microsecond // a second for 100 KB
	leastMemory   = 1536 << 20
	memoryPerByte = 64
	leastOutput   = 256 << 20
	outputPerByte = 64
)

// Now is what work may take that has read as much as this process has.
func Now() Allowance {
	n := files.Bytes()
	return Allowance{leastTime + time.Duration(n)*timePerByte, leastMemory + n*memoryPerByte, leastOutput + n*outputPerByte}
}

// every is how often work is looked at.
const every = 20 * time.Millisecond

// A use is what the process has taken so far.
type use struct {
	time   time.Duration
	memory int64
}

func taken() use {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(sample)
	return use{Processor(), int64(sample[0].Value.Uint64() + sample[1].Value.Uint64())}
}

// exceeds words what work has taken beyond its allowance; nil: nothing.
func (u use) exceeds(what string, a Allowance) error {
	switch {
	case u.time > a.Time:
		return fmt.Errorf("%s: %w: found %.1f s of the processor's time: want at most %.1f s for files of %d bytes", what, ErrLimit, u.time.Seconds(), a.Time.Seconds(), files.Bytes())
	case u.memory > a.Memory:
		return fmt.Errorf("%s: %w: found %d bytes of memory in use: want at most %d for files of %d bytes", what, ErrLimit, u.memory, a.Memory, files.Bytes())
	}
	return nil
}

// Output is the error of work that has written more than it may; nil: it has not.
func Output(what string, bytes int64) error {
	if most := Now().Output; bytes > most {
		return fmt.Errorf("%s: %w: found %d bytes of output: want at most %d for files of %d bytes", what, ErrLimit, bytes, most, files.Bytes())
	}
	return nil
}

// Watch calls exceeded, once, when what the process takes from now on is more than it may. The work ends the watch with stop.
func Watch(what string, exceeded func(error)) (stop func()) {
	done, before := make(chan struct{}), taken()
	go func() {
		t := time.NewTicker(every)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
			}
			now := taken()
			if err := (use{now.time - before.time, now.memory - before.memory}).exceeds(what, Now()); err != nil {
				exceeded(err)
				return
			}
		}
	}()
	return func() { close(done) }
}

// Context ends, with the limit as its cause, when what the process takes from now on is more than it may.
func Context(ctx context.Context, what string) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := Watch(what, func(err error) { cancel(err) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}
