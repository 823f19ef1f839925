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
	limit     time.Duration // of the tests with a change; one that never ends is noticed
}

// A change may make the tests slower without making them wrong, so that the
// limit is a multiple of the time of the tests as they are.
const (
	slower   = 8
	least    = 5 * time.Second
	maxKiB   = 8 << 20 // of address space: a change may ask for memory without end
	shellRun = `ulimit -v %d; exec "$0" "$@"`
)

// measure runs the tests without any change, which have to pass.
func (b *binary) measure() error {
	b.limit = 10 * time.Minute
	from := time.Now()
	if out, err := b.run(0); err != nil {
		return fmt.Errorf("%s without a change: %w\n%s", b.dir, err, out)
	}
	b.limit = max(slower*time.Since(from), least)
	return nil
}

// run runs the tests with the change of a number, up to the first that fails.
func (b *binary) run(number int) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), b.limit+least)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", fmt.Sprintf(shellRun, maxKiB), b.path,
		"-test.short", "-test.failfast", "-test.timeout="+b.limit.String())
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", variable, number))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = least
	err := cmd.Run()
	return out.Bytes(), err
}

// noticed says whether a test fails with the change of a number.
func (p *program) noticed(number int) bool {
	for i := range p.binaries {
		if _, err := p.binaries[i].run(number); err != nil {
			return true
		}
	}
	return false
}
