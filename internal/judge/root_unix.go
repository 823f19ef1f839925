//go:build unix

package judge

import (
	"os/exec"
	"syscall"
)

// enter sets the root folder of a command.
func enter(c *exec.Cmd, root string) {
	c.SysProcAttr, c.Dir = &syscall.SysProcAttr{Chroot: root}, "/"
}
