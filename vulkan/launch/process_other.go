//go:build !linux

package launch

import (
	"context"
	"os/exec"
	"syscall"
)

// together gives a program alone its signals: what it starts, and what ends this process, are its own affair here.
func together(c *exec.Cmd, _ bool) (signal func(syscall.Signal) error) {
	return func(s syscall.Signal) error { return c.Process.Signal(s) }
}

// lock takes nothing: the driver is for Linux.
func lock(context.Context, string) (unlock func(), err error) { return func() {}, nil }
