package experiments

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
)

// execute runs a job on a machine, the job's own if the name is empty, and returns its buffers by name.
func execute(t *testing.T, job *config.Job, machine string, set ...string) map[string][]byte {
	t.Helper()
	m := suite.Must(config.LoadMachine(config.Request{Machine: machine, Job: job, Set: set}))(t)
	result, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, MaxCycles: 1e8})
	if err != nil {
		t.Error(err)
	}
	if result == nil {
		t.FailNow()
	}
	out := map[string][]byte{}
	for _, b := range result.Buffers {
		out[b.Name] = b.Bytes
	}
	return out
}

// Every element of every output equals the reference.
func TestBuffersAgreeWithTheReferences(t *testing.T) {
	got := map[string]map[string][]byte{}
	for _, r := range references {
		t.Run(r.job+"/"+r.buffer, func(t *testing.T) {
			skipUnderRace(t, r.job)
			if testing.Short() && len(r.job)%2 != 0 {
				t.Skip("half of the jobs do")
			}
			job := load(t, r.job)
			if got[r.job] == nil {
				got[r.job] = execute(t, job, "")
			}
			compare(t, got[r.job][r.buffer], r.want(contents(t, job)), r.tolerance)
		})
	}
}

// skipUnderRace skips most jobs under the race detector, which makes a run twenty times slower: a run has one
// goroutine, so the tests here lose nothing.
func skipUnderRace(t *testing.T, job string) {
	t.Helper()
	if underRace && !slices.Contains([]string{"reduce", "scan", "spmv"}, job) {
		t.Skip("too long under the race detector")
	}
}

// compare reports the first elements that differ by more than the tolerance.
func compare(t *testing.T, got []byte, want any, tolerance float64) {
	t.Helper()
	var bits bytes.Buffer
	suite.OK(t, binary.Write(&bits, binary.LittleEndian, want))
	if len(got) != bits.Len() {
		t.Fatalf("%d bytes, want %d", len(got), bits.Len())
	}
	_, isFloat := want.([]float32)
	wrong := 0
	for i := 0; i < len(got); i += 4 {
		g, w := binary.LittleEndian.Uint32(got[i:]), binary.LittleEndian.Uint32(bits.Bytes()[i:])
		if g == w || isFloat && near(g, w, tolerance) {
			continue
		}
		if wrong++; wrong <= 5 {
			t.Errorf("element %d: %s, want %s", i/4, element(g, isFloat), element(w, isFloat))
		}
	}
	if wrong > 5 {
		t.Errorf("%d of %d elements differ", wrong, len(got)/4)
	}
}

func near(got, want uint32, tolerance float64) bool {
	g, w := float64(math.Float32frombits(got)), float64(math.Float32frombits(want))
	return math.Abs(g-w) <= tolerance*max(1, math.Abs(w))
}

func element(bits uint32, isFloat bool) string {
	if isFloat {
		return fmt.Sprint(math.Float32frombits(bits))
	}
	return fmt.Sprintf("%#x", bits)
}

// smaller are parameters with which jobs are small enough to be run on many machines, or with messages for each line of memory:
// still of several workgroups on several compute units. Of peer-transpose, the stores evict lines that are read again at once, in
// all slices of the L2, at this size, too.
var smaller = map[string][]string{
	"bitonic": {"blocks=2"}, "cl-stencil": {"width=100", "height=70"}, "compact": {"blocks=16"}, "deferred-quads": {"size=32"}, "environment": {"n=1024"},
	"flash-attention": {"heads=1", "length=64"}, "gemm": {"m=128", "n=128", "k=32"},
	"groupscan-dpp": {"blocks=16"}, "groupscan-lds": {"blocks=16"}, "groupscan-memory": {"blocks=16"},
	"histogram": {"n=16384"}, "koch-queues": {"depth=3"}, "mandelbrot": {"size=64"}, "matmul": {"n=64"},
	"nbody": {"n=256"}, "nbody-global": {"n=256"}, "peer-atax": {"n=128"}, "peer-bitonic": {"log2n=11", "n=2048"},
	"peer-convolution": {"width=128", "height=128"}, "peer-fir": {"n=8192"}, "peer-matmul": {"n=64"}, "peer-transpose": {"n=256"},
	"qdot16": {"rows=16"}, "qdot8": {"rows=16"}, "reduce": {"n=16384", "groups=64"}, "saxpy": {"n=16384"}, "scan": {"parts=16"},
	"stencil2d": {"width=125", "height=100"}, "textured-triangle": {"size=64"}, "transpose-padded": {"n=128"},
	"transpose-plain": {"n=128"}, "transpose-swizzled": {"n=128"}, "transpose-views": {"n=128"}, "vectoradd": {"n=16384"},
}

// isOfFullSize reports whether an error is a failed expectation of a job that was made smaller: expectations are for
// the size in the file.
func isOfFullSize(name string, err error) bool {
	return smaller[name] != nil && errors.Is(err, gpu.ErrExpectation)
}

// othersFor returns the machines of a job besides the first: both wave sizes, and two presets in turn, four in the
// whole suite, so that every preset has some of the jobs.
func othersFor(i int) [][]string {
	others := [][]string{{"rdna3-rx7900xtx", "wave_size=64"}}
	presets := config.Presets()[1:]
	n := 2
	if suite.AllCases() {
		n = 4
	}
	for k := range n {
		others = append(others, []string{presets[(n*i+k)%len(presets)]})
	}
	if testing.Short() {
		others = others[:1]
	}
	return others
}

// The buffers are equal on every machine, whatever its waves and its timing.
func TestBuffersAreTheSameOnEveryMachine(t *testing.T) {
	for i, name := range Names() {
		if testing.Short() && i%6 != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			skipUnderRace(t, name)
			if clocked[name] {
				t.Skip("what it stores are times")
			}
			first := executeSmall(t, name, []string{config.Presets()[0]})
			for _, other := range othersFor(i) {
				if tooWide[name] == other[0] {
					continue
				}
				for i, b := range executeSmall(t, name, other) {
					if !unordered[name+"/"+b.Name] && !bytes.Equal(b.Bytes, first[i].Bytes) {
						t.Errorf("%v: buffer %s is not that of %s", other, b.Name, config.Presets()[0])
					}
				}
			}
		})
	}
}

// executeSmall runs a job, made smaller, on a machine with settings.
func executeSmall(t *testing.T, name string, on []string) []gpu.Buffer {
	t.Helper()
	job, m := settled(t, name, on[0], on[1:], smaller[name]...)
	r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, MaxCycles: 1e8})
	if err != nil && !isOfFullSize(name, err) {
		t.Fatal(err)
	}
	return r.Buffers
}

// tooWide are the jobs whose matrices need more vector registers than a machine without a matrix unit has.
var tooWide = map[string]string{"gemm": "rdna2-rx6800xt"}

// clocked are the jobs that store times, which differ by machine.
var clocked = map[string]bool{"latency": true, "micro-chase": true, "micro-latency": true}

// unordered are the buffers whose results depend on the order of workgroups: the job's own test checks them.
var unordered = map[string]bool{"cl-bfs/even": true, "cl-bfs/odd": true, "koch-queues/edges": true, "scan/parts": true}
