//go:build !linux

package launch

import (
	"context"
	"os/exec"
	"syscall"
)

// endTogether signals the program alone: its children are not signaled on this system.
func endTogether(c *exec.Cmd, _ bool) (signal func(syscall.Signal) error) {
	return func(s syscall.Signal) error { return c.Process.Signal(s) }
}

// lock does nothing: the driver is for Linux.
func lock(context.Context, string) (unlock func(), err error) { return func() {}, nil }
