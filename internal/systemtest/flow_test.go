package systemtest

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
)

var (
	flowPrograms = flag.Uint64("flow.programs", 200, "random programs of control flow to run; -short runs a quarter")
	flowFirst    = flag.Uint64("flow.first", 0, "seed of the first of them")
)

// maxCycles is far more than any program of maxSteps steps takes.
const maxCycles = 2_000_000

// A bench runs programs on one machine for each wave size. Its machines are
// small, so that they are soon built.
type bench map[int]*config.Machine

func newBench(t testing.TB) bench {
	b := bench{}
	job := parse(t, "", 1)
	for _, size := range []int{32, 64} {
		set := []string{fmt.Sprintf("wave_size=%d", size), "shader_engines=1", "compute_units=1", "memory_side.bytes=1572864"}
		m := suite.Must(config.LoadMachine(config.Request{Machine: "rdna3-rx7900xtx", Job: job, Set: set}))(t)
		b[size] = m
	}
	return b
}

func parse(t testing.TB, text string, words int) *config.Job {
	t.Helper()
	files := fstest.MapFS{"m.spvasm": &fstest.MapFile{Data: []byte(text)}}
	job, err := config.ParseJob(files, "job.yaml", fmt.Appendf(nil,
		"shader: m.spvasm\nbuffers: [{set: 0, binding: 0, name: out, data: {zero: %d}}]\ndispatch: [1]\n", 4*words))
	if err != nil {
		t.Fatal(err)
	}
	return job
}

// check reports how a module's results differ from what is wanted.
func (b bench) check(t testing.TB, text string, want []uint32, size int) error {
	s := gpu.Setup{Machine: b[size], Job: parse(t, text, len(want)), MaxCycles: maxCycles}
	r, err := gpu.Run(context.Background(), s)
	if err != nil {
		return err
	}
	for i, w := range want {
		if got := binary.LittleEndian.Uint32(r.Buffers[0].Bytes[4*i:]); got != w {
			return fmt.Errorf("word %d of thread %d is %d, want %d", i%ownWords, i/ownWords, got, w)
		}
	}
	return nil
}

// fault is what goes wrong with a program, on waves of one size and in one
// shape; a program that is too long has none.
func (b bench) fault(t testing.TB, p *program, size int, optimised bool) error {
	want, err := expected(p, size)
	if err != nil {
		return nil
	}
	return b.check(t, module(p, optimised), want, size)
}

// Random control flow leaves in memory what maximal reconvergence defines, and
// ends.
func TestRandomControlFlow(t *testing.T) {
	n := *flowPrograms
	if testing.Short() {
		n /= 4
	}
	b := newBench(t)
	var next, ran atomic.Uint64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for seed := next.Add(1) - 1; seed < n && !t.Failed(); seed = next.Add(1) - 1 {
				ran.Add(b.both(t, draw(*flowFirst+seed)))
			}
		})
	}
	wg.Wait()
	if !t.Failed() && ran.Load() < n*9/10 {
		t.Errorf("%d of %d programs are too long: the generator makes poor ones", n-ran.Load(), n)
	}
}

// both runs a program in both shapes, on waves of the size that its seed says;
// it counts 1 unless the program is too long.
func (b bench) both(t *testing.T, p *program) uint64 {
	size := 32 << (p.seed & 1)
	if _, err := expected(p, size); errors.Is(err, errLong) {
		return 0
	}
	for _, optimised := range []bool{false, true} {
		if err := b.fault(t, p, size, optimised); err != nil {
			b.report(t, p, size, optimised, err)
		}
	}
	return 1
}

// report prints the smallest part of the program that still fails.
func (b bench) report(t *testing.T, p *program, size int, optimised bool, err error) {
	small := shrink(p, func(q *program) bool { return b.fault(t, q, size, optimised) != nil })
	t.Errorf("seed %d, waves of %d, optimised %v: %v\nreduced: %v\n%s\n%s", p.seed, size, optimised, err,
		b.fault(t, small, size, optimised), source(small), module(small, optimised))
}
