// Package bounds limits the processor time, memory and output of reading, checking, lowering and drawing files, in proportion to the
// bytes that were read. It does not limit simulations, which have limits of their own.
package bounds

import (
	"context"
	"errors"
	"fmt"
	"runtime/metrics"
	"time"

	"spvsim/internal/files"
)

// ErrLimit reports work beyond its limits. Every error of this package wraps it.
var ErrLimit = errors.New("limit reached")

// Allowance has the limits of some work.
type Allowance struct {
	Time   time.Duration // processor time, the sum over threads
	Memory int64         // bytes, garbage included
	Output int64         // bytes
}

// A limit is a constant plus a rate for each byte read: 100 KB allow 25 s + 1 s of processor time.
const (
	leastTime     = 25 * time.Second
	timePerByte   = 10 * time.Microsecond // a second for 100 KB
	leastMemory   = 1536 << 20
	memoryPerByte = 64
	leastOutput   = 256 << 20
	outputPerByte = 64
)

// Now returns the limits for the bytes that this process has read so far.
func Now() Allowance {
	n := files.Bytes()
	return Allowance{leastTime + time.Duration(n)*timePerByte, leastMemory + n*memoryPerByte, leastOutput + n*outputPerByte}
}

// checkInterval is the time between two checks of a watch.
const checkInterval = 20 * time.Millisecond

// A usage is the time and memory that the process has used.
type usage struct {
	time   time.Duration
	memory int64
}

func currentUsage() usage {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(sample)
	return usage{Processor(), int64(sample[0].Value.Uint64() + sample[1].Value.Uint64())}
}

// exceeds returns an error if the use is beyond the limits.
func (u usage) exceeds(what string, a Allowance) error {
	switch {
	case u.time > a.Time:
		return fmt.Errorf("%s: %w: found %.1f s of the processor's time: want at most %.1f s for files of %d bytes", what, ErrLimit, u.time.Seconds(), a.Time.Seconds(), files.Bytes())
	case u.memory > a.Memory:
		return fmt.Errorf("%s: %w: found %d bytes of memory in use: want at most %d for files of %d bytes", what, ErrLimit, u.memory, a.Memory, files.Bytes())
	}
	return nil
}

// Output returns an error if some work has written more bytes than it may.
func Output(what string, bytes int64) error {
	if most := Now().Output; bytes > most {
		return fmt.Errorf("%s: %w: found %d bytes of output: want at most %d for files of %d bytes", what, ErrLimit, bytes, most, files.Bytes())
	}
	return nil
}

// WatchLimits calls exceeded, once, when the process has used more than the limits from now on. stop ends the watch.
func WatchLimits(what string, exceeded func(error)) (stop func()) {
	done, before := make(chan struct{}), currentUsage()
	go func() {
		t := time.NewTicker(checkInterval)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
			}
			now := currentUsage()
			if err := (usage{now.time - before.time, now.memory - before.memory}).exceeds(what, Now()); err != nil {
				exceeded(err)
				return
			}
		}
	}()
	return func() { close(done) }
}

// Context returns a context that ends, with the limit as its cause, when the process has used more than the limits from now on.
func Context(ctx context.Context, what string) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := WatchLimits(what, func(err error) { cancel(err) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}
