//go:build unix

package judge

import (
	"os/exec"
	"syscall"
)

// enter makes a folder the root of a command.
func enter(c *exec.Cmd, root string) {
	c.SysProcAttr, c.Dir = &syscall.SysProcAttr{Chroot: root}, "/"
}
