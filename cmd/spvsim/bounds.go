package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"spvsim/gpu"
	"spvsim/internal/bounds"
	"spvsim/internal/files"
	"spvsim/tracing/daisen"
)

// A boundsGuard enforces the bounds on a command's use of files and memory, and its end after an interruption. A command
// that simulates is exempt, since a simulation has limits of its own.
type boundsGuard struct {
	name    string // of the command
	written atomic.Int64
	free    atomic.Bool
	stop    func()      // ends the watch; nil: there is none
	end     func(error) // ends the process
}

// guardKey is the key of the context's keeper, ending that of the function which ends the process.
type (
	guardKey struct{}
	exitKey  struct{}
)

// withExit lets commands under a context end the process, where they do not end by themselves.
func withExit(ctx context.Context, end func(status int)) context.Context {
	return context.WithValue(ctx, exitKey{}, end)
}

// guardCommands puts every command under a root under a keeper, before the command runs.
func guardCommands(root *cobra.Command, stderr io.Writer) *boundsGuard {
	k := &boundsGuard{}
	root.PersistentPreRun = func(c *cobra.Command, _ []string) {
		k.name = c.CommandPath()
		c.SetContext(context.WithValue(c.Context(), guardKey{}, k))
		end, ok := c.Context().Value(exitKey{}).(func(int))
		if !ok {
			return
		}
		k.end = func(err error) {
			complain(stderr, err)
			end(exitFailed)
		}
		k.watchBounds()
		go k.interrupted(c.Context())
	}
	return k
}

func (k *boundsGuard) watchBounds() {
	if k.end != nil {
		k.stop = bounds.WatchLimits(k.name, k.end)
	}
}

// interrupted ends a command that ignores its context.
func (k *boundsGuard) interrupted(ctx context.Context) {
	<-ctx.Done()
	time.Sleep(endTimeout)
	if !k.free.Load() {
		k.end(fmt.Errorf("%s: %w: nothing is written", k.name, gpu.ErrInterrupted))
	}
}

// unbounded runs work that has limits of its own, without the keeper.
func unbounded(c *cobra.Command, do func() error) error {
	k, ok := c.Context().Value(guardKey{}).(*boundsGuard)
	if !ok {
		return do()
	}
	k.free.Store(true)
	if k.stop != nil {
		k.stop()
	}
	err := do()
	k.free.Store(false)
	k.watchBounds()
	return err
}

// wrote counts the bytes that a command writes.
func (k *boundsGuard) wrote(n int) error {
	if k == nil || k.free.Load() {
		return nil
	}
	return bounds.Output(k.name, k.written.Add(int64(n)))
}

// A boundedWriter is an output of a command.
type boundedWriter struct {
	io.WriteCloser
	guard *boundsGuard
}

func (w boundedWriter) Write(p []byte) (int, error) {
	if err := w.guard.wrote(len(p)); err != nil {
		return 0, err
	}
	return w.WriteCloser.Write(p)
}

// unwritable are the system's errors of writing results: a disk that is full, read-only or broken.
var unwritable = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EIO, syscall.EROFS, daisen.ErrWrite}

// failed reports whether an error of a command is not the fault of its input: a failure of its own, a limit, or results
// that can't be written.
func failed(err error) bool {
	var own *failure
	var unreadable *files.Error
	switch {
	case errors.As(err, &own) || errors.Is(err, bounds.ErrLimit):
		return true
	case errors.As(err, &unreadable):
		return false // whatever the system's error
	}
	return slices.ContainsFunc(unwritable, func(of error) bool { return errors.Is(err, of) })
}
