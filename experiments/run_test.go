package experiments

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
)

// execute runs a job on a machine, the job's own if the name is empty, and returns its buffers by name.
func execute(t *testing.T, job *config.Job, machine string, set ...string) map[string][]byte {
	t.Helper()
	m, err := config.LoadMachine(config.Request{Machine: machine, Job: job, Set: set})
	if err != nil {
		t.Fatal(err)
	}
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

// Every element of every output is what the reference works out.
func TestBuffersAgreeWithTheReferences(t *testing.T) {
	got := map[string]map[string][]byte{}
	for _, r := range references {
		t.Run(r.job+"/"+r.buffer, func(t *testing.T) {
			skipUnderRace(t, r.job)
			job := load(t, r.job)
			if got[r.job] == nil {
				got[r.job] = execute(t, job, "")
			}
			compare(t, got[r.job][r.buffer], r.want(contents(t, job)), r.tolerance)
		})
	}
}

// skipUnderRace leaves out most jobs where the race detector makes a run twenty times slower: a run has one goroutine, and what
// the tests here look for shows as well without the detector.
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
	if err := binary.Write(&bits, binary.LittleEndian, want); err != nil {
		t.Fatal(err)
	}
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

// The buffers are the same bytes on every machine, whatever its waves and its timing.
func TestBuffersAreTheSameOnEveryMachine(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			skipUnderRace(t, name)
			if clocked[name] {
				t.Skip("what it stores are times")
			}
			job := load(t, name)
			first := execute(t, job, config.Presets()[0])
			others := [][]string{{"rdna3-rx7900xtx", "wave_size=64"}}
			for _, machine := range config.Presets()[1:] {
				others = append(others, []string{machine})
			}
			for _, other := range others {
				got := execute(t, job, other[0], other[1:]...)
				for _, b := range job.Buffers {
					if !unordered[name+"/"+b.Name] && !bytes.Equal(got[b.Name], first[b.Name]) {
						t.Errorf("%v: buffer %s is not that of %s", other, b.Name, config.Presets()[0])
					}
				}
			}
		})
	}
}

// clocked are the jobs that store times, which differ by machine.
var clocked = map[string]bool{"latency": true}

// unordered are the buffers in which what a job leaves depends on the order of its workgroups: the job's own test looks at them.
var unordered = map[string]bool{"scan/parts": true, "koch-queues/edges": true}
