package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// A binary is the tests of one package.
type binary struct {
	dir, path string
	seconds   int // of processor time for the tests with a change; one that never ends is noticed
}

// A change may make the tests slower without making them wrong, so that the
// limit is a multiple of the time of the tests as they are: of processor time,
// which does not depend on what else the host does.
const (
	slower   = 4
	least    = 3                // seconds
	waits    = 10 * time.Minute // for one that does not end and does nothing
	maxKiB   = 8 << 20          // of address space: a change may ask for memory without end
	shellRun = `ulimit -v %d -t %d; exec "$0" "$@"`
)

// measure runs the tests without any change, which have to pass.
func (b *binary) measure() error {
	b.seconds = 600
	cmd, out, err := b.run(0)
	if err != nil {
		return fmt.Errorf("%s without a change: %w\n%s", b.dir, err, out)
	}
	took := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	b.seconds = slower*int(took/time.Second) + least
	return nil
}

// run runs the tests with the change of a number, up to the first that fails.
func (b *binary) run(number int) (*exec.Cmd, []byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), waits)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", fmt.Sprintf(shellRun, maxKiB, b.seconds), b.path, "-test.short", "-test.failfast")
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", variable, number))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	return cmd, out.Bytes(), err
}

// noticed says whether a test fails with the change of a number.
func (p *program) noticed(number int) bool {
	for i := range p.binaries {
		if _, _, err := p.binaries[i].run(number); err != nil {
			return true
		}
	}
	return false
}
