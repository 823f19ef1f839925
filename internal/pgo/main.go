// Command pgo records where the command spends the processor's time, for the Go compiler: builds of ./cmd/spvsim
// inline by cmd/spvsim/default.pgo (go.dev/doc/pgo). It runs jobs of the library, each for a second or two.
//
//	go run ./internal/pgo      writes cmd/spvsim/default.pgo anew
//
// The file differs a little each time. It need not be as new as the code: what it does not name is compiled as without it.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// otherResults is the status of a run whose results are not what the job expects: those of another size.
const otherResults = 1

const written = "cmd/spvsim/default.pgo"

// jobs are the arguments of each run: compute, gathers, stores, atomics and graphs, on machines of each kind, timed, sampled and
// without time.
var jobs = []string{
	"peer-fir --param n=1048576",
	"peer-matmul --param n=512",
	"peer-bitonic --param log2n=16 --param n=65536",
	"peer-convolution --param width=2048 --param height=1024",
	"peer-transpose --param n=2048",
	"peer-atax --param n=2048",
	"peer-matmul --machine cdna3-mi300a --param n=512",
	"peer-fir --machine cdna3-mi300a --param n=2097152",
	"peer-convolution --machine rdna3-rx7900xtx --param width=1024 --param height=1024",
	"micro-gather --param bytes=16777216 --param loads=16 --param groups=320",
	"micro-gather --machine cdna3-mi300a --param bytes=16777216 --param loads=16 --param groups=320",
	"micro-gather --machine gcn3-r9nano --param bytes=16777216 --param loads=16 --param groups=320",
	"micro-atomic --param words=1024 --param groups=320",
	"micro-stream --machine cdna2-mi210 --param n=2000000",
	"koch --param depth=9",
	"bfs --param vertices=16384",
	"mandelbrot --param size=1024",
	"nbody --param n=4096",
	"fft --param transforms=1024",
	"flash-attention --param size=1024",
	"textured-triangle --param size=1024",
	"peer-fir --mode sampled --param n=16777216",
	"peer-atax --mode sampled --param n=4096",
	"peer-fir --mode functional --param n=16777216",
	"peer-matmul --mode functional --param n=1024",
	"peer-convolution --mode functional --param width=4096 --param height=2048",
}

func main() {
	if err := record(); err != nil {
		fmt.Fprintln(os.Stderr, "pgo:", err)
		os.Exit(1)
	}
}

// record builds the command, runs the jobs and adds their profiles up.
func record() error {
	dir, err := os.MkdirTemp("", "pgo")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	spvsim := filepath.Join(dir, "spvsim")
	if err := run("go", "build", "-pgo=off", "-o", spvsim, "./cmd/spvsim"); err != nil {
		return err
	}
	merge := []string{"tool", "pprof", "-proto", "-output", written}
	for i, job := range jobs {
		profile := filepath.Join(dir, fmt.Sprintf("%02d.prof", i))
		err := run(spvsim, append([]string{"run", "--threads", "1", "--cpuprofile", profile}, strings.Fields(job)...)...)
		if exit := new(exec.ExitError); err != nil && !(errors.As(err, &exit) && exit.ExitCode() == otherResults) {
			return err
		}
		merge = append(merge, profile)
	}
	return run("go", merge...)
}

func run(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return err
}
