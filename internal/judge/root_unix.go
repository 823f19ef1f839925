//go:build unix

package judge

import (
	"os/exec"
	"syscall"
)

// setRoot sets the root folder of a command.
func setRoot(c *exec.Cmd, root string) {
	c.SysProcAttr, c.Dir = &syscall.SysProcAttr{Chroot: root}, "/"
}
