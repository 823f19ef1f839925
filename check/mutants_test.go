package check_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"testing/fstest"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
)

// opControlBarrier and opNop are instructions of SPIR-V: the number of words and the opcode.
const (
	opControlBarrier = 4<<16 | 224
	opNop            = 1 << 16
)

// withoutBarrier returns a module without its n-th control barrier; false: it has fewer.
func withoutBarrier(module []byte, n int) ([]byte, bool) {
	words := len(module) / 4
	for at := 5; at < words; {
		word := binary.LittleEndian.Uint32(module[4*at:])
		if word == opControlBarrier {
			if n == 0 {
				made := append([]byte{}, module...)
				for i := range 4 {
					binary.LittleEndian.PutUint32(made[4*(at+i):], opNop)
				}
				return made, true
			}
			n--
		}
		at += int(word >> 16)
	}
	return nil, false
}

// mutantJobs are jobs of the library whose results their expectations decide, by what they do with the LDS.
var mutantJobs = []string{"matmul", "reduce", "scan", "nbody", "stencil2d", "histogram", "fft", "compact", "bitonic"}

var shaderKey = regexp.MustCompile(`(?m)^shader: (\S+)$`)

// Jobs of the library without one of their barriers. Whether the result can depend on the barrier is decided without the check: it does
// if some run, timed or functional, with waves of 32 or 64 lanes, gives other results than the job expects. The check must find all of
// those. Jobs with all barriers are clean.
func TestMutantsWithoutABarrier(t *testing.T) {
	const folder = "../experiments/library"
	all, dependent, found := 0, 0, 0
	for _, name := range mutantJobs {
		text := suite.Must(os.ReadFile(filepath.Join(folder, name+".yaml")))(t)
		key := shaderKey.FindSubmatch(text)
		if key == nil {
			t.Fatalf("%s: no shader", name)
		}
		file := string(key[1])
		module := suite.Must(os.ReadFile(filepath.Join(folder, file)))(t)
		run := func(module []byte, mode string, size int, checks bool) error {
			var files fs.FS = fstest.MapFS{file: {Data: module}}
			j := suite.Must(config.ParseJob(files, name+".yaml", text))(t)
			j.WaveSize = size
			m := suite.Must(config.LoadMachine(config.Request{Job: j, Machine: "rdna3-rx7900xtx"}))(t)
			_, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: j, Mode: mode, Check: checks, MaxCycles: 5e6})
			return err
		}
		for _, size := range []int{32, 64} {
			if err := run(module, config.ModeFunctional, size, true); err != nil {
				t.Errorf("%s, waves of %d lanes, with its barriers: %v", name, size, err)
			}
		}
		for n := 0; ; n++ {
			mutant, ok := withoutBarrier(module, n)
			if !ok {
				break
			}
			all++
			depends := ""
			for _, size := range []int{32, 64} {
				for _, mode := range []string{config.ModeFunctional, config.ModeTimed} {
					if err := run(mutant, mode, size, false); errors.Is(err, gpu.ErrExpectation) {
						depends = fmt.Sprintf("%s, waves of %d lanes", mode, size)
					}
				}
			}
			seen := false
			for _, size := range []int{32, 64} {
				seen = seen || errors.Is(run(mutant, config.ModeFunctional, size, true), gpu.ErrCheck)
			}
			if depends != "" {
				dependent++
			}
			if seen {
				found++
			}
			if depends != "" && !seen {
				t.Errorf("%s without barrier %d: results are wrong (%s), and nothing is found", name, n, depends)
			}
			t.Logf("%s without barrier %d: wrong results %q, found %v", name, n, depends, seen)
		}
	}
	if dependent < 5 {
		t.Errorf("%d of %d mutants have wrong results, want 5 at least: the test shows nothing", dependent, all)
	}
	t.Logf("%d mutants: %d with wrong results, %d found", all, dependent, found)
}
