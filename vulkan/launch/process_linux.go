package launch

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// endTogether makes a program and all of its children end together: as a process group that gets each signal, unless it
// shares a terminal's. The kernel kills the program when this process ends for any reason (prctl(2), PR_SET_PDEATHSIG).
func endTogether(c *exec.Cmd, shared bool) (signal func(syscall.Signal) error) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: !shared, Pdeathsig: syscall.SIGKILL}
	return func(s syscall.Signal) error {
		if shared {
			return c.Process.Signal(s)
		}
		return syscall.Kill(-c.Process.Pid, s)
	}
}

// lock waits until no other process holds the file's lock, and acquires it.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, err
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, context.Cause(ctx)
		case <-time.After(lookAtLock):
		}
	}
}

// lookAtLock is the interval between attempts.
const lookAtLock = 50 * time.Millisecond
