package experiments

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
)

// micro runs a micro-benchmark of the library with other parameters, without its expectations, which are for its own
// size.
func micro(t *testing.T, name, machine, mode string, parameters ...string) (map[string][]byte, *gpu.Result) {
	t.Helper()
	job := loadWith(t, name, parameters)
	job.Expect = nil
	m := suite.Must(config.LoadMachine(config.Request{Machine: machine, Job: job}))(t)
	result := suite.Must(gpu.Run(t.Context(), gpu.Setup{Machine: m, Job: job, Mode: mode, MaxCycles: 1e8}))(t)
	out := map[string][]byte{}
	for _, b := range result.Buffers {
		out[b.Name] = b.Bytes
	}
	return out, result
}

// The chain of pointers visits every element of a footprint of any size once, and then returns to its start.
func TestMicroChaseVisitsAllElements(t *testing.T) {
	const apart = 64
	for _, elements := range []int{2, 3, 250, 257, 1024} {
		out, result := micro(t, "micro-chase", "", "functional", fmt.Sprintf("bytes=%d", elements*apart), "before=0", "rounds=0")
		chain := out["chain"]
		var first uint64
		for _, b := range result.Buffers {
			if b.Name == "starts" {
				first = binary.LittleEndian.Uint64(b.Bytes)
			}
		}
		seen, near := map[uint64]bool{}, 0
		for at := uint64(0); !seen[at]; {
			seen[at] = true
			next := binary.LittleEndian.Uint64(chain[at:]) - first
			if next >= uint64(len(chain)) || next%apart != 0 {
				t.Fatalf("%d elements: a pointer to %d", elements, next)
			}
			if next == at+apart {
				near++
			}
			at = next
		}
		if len(seen) != elements || elements > 100 && near > elements/20 {
			t.Errorf("%d elements: the chain goes through %d, %d times to the neighbour", elements, len(seen), near)
		}
	}
}

// Within the first cache a load of the chain takes the latency of the machine's description: that of its class and of
// the cache.
func TestChaseTakesTheLatencyOfTheFirstCache(t *testing.T) {
	for _, name := range config.Presets() {
		m := suite.Must(config.Preset(name))(t)
		out, _ := micro(t, "micro-chase", name, "", "bytes=4096", "before=96", "rounds=1")
		took := float64(binary.LittleEndian.Uint32(out["result"][8:])) / 256
		if want := float64(m.Timing.Classes["vmem"].Latency + m.VectorL1.LatencyCycles); took < want-8 || took > want+8 {
			t.Errorf("%s: %.1f cycles a load, want %.0f", name, took, want)
		}
	}
}

// Each kind of stream stores its formula's values.
func TestMicroStreamResults(t *testing.T) {
	const n, factor = 500, 3.0
	b := func(i int) float64 { return float64(i) }
	// Elements whose stencil would reach beyond the array are not written.
	within := func(reach, i int) float64 {
		sum := 0.0
		for k := i - reach; k <= i+reach; k++ {
			sum += b(k)
		}
		if i < reach || i >= n-reach {
			return 0
		}
		return factor * sum
	}
	for kind, want := range []func(i int) float64{
		func(int) float64 { return factor },
		func(int) float64 { return 0 },
		func(i int) float64 { return factor * b(i) },
		func(i int) float64 { return b(i) + factor*2*b(i) },
		func(i int) float64 { return within(1, i) },
		func(i int) float64 { return within(2, i) },
		b,
	} {
		out, _ := micro(t, "micro-stream", "", "functional", fmt.Sprintf("kind=%d", kind), fmt.Sprintf("n=%d", n), "lanes=96")
		for i := range n {
			if got := math.Float64frombits(binary.LittleEndian.Uint64(out["a"][8*i:])); got != want(i) {
				t.Fatalf("kind %d, element %d: %g, want %g", kind, i, got, want(i))
			}
		}
	}
}

// Additions to any number of words add up, whether or not their results are used.
func TestMicroAtomicSum(t *testing.T) {
	for _, words := range []int{1, 16, 4096} {
		for _, wanted := range []int{0, 1} {
			out, _ := micro(t, "micro-atomic", "", "functional", fmt.Sprintf("words=%d", words), fmt.Sprintf("wanted=%d", wanted), "groups=6")
			sum := uint32(0)
			for i := range words {
				sum += binary.LittleEndian.Uint32(out["words"][4*i:])
			}
			if sum != 6*256*4 {
				t.Errorf("%d words: %d additions, want %d", words, sum, 6*256*4)
			}
		}
	}
}

// A footprint within the first caches is read at their bandwidth; a larger one per unit is slower.
func TestFootprintsBeyondTheFirstCacheAreSlower(t *testing.T) {
	if testing.Short() {
		t.Skip("runs long chains of loads")
	}
	rate := func(loads int, parameters ...string) float64 {
		_, few := micro(t, "micro-read", "rdna2-rx6900xt", "", append([]string{fmt.Sprintf("loads=%d", loads)}, parameters...)...)
		_, many := micro(t, "micro-read", "rdna2-rx6900xt", "", append([]string{fmt.Sprintf("loads=%d", 2*loads)}, parameters...)...)
		return float64(80*512*16*loads) / float64(many.Stats.Cycles-few.Stats.Cycles)
	}
	near, alone := rate(8, "bytes=8192"), rate(16, "bytes=98304", "alone=1")
	if near > 80*64 || near < 80*45 || alone > 0.7*near {
		t.Errorf("%.0f bytes a cycle within the first caches, %.0f of a footprint of each unit", near, alone)
	}
}

// The ten compute units of a shader array are five pairs. Two halves of a pass that are four workgroups apart, one for each shader engine,
// are on one pair, so five units ask for each line; of workgroups side by side each array has one half, for which all ten ask.
func TestHalvesOfAPassOnAPairOfUnits(t *testing.T) {
	for apart, sharing := range map[int]uint64{4: 5, 1: 10} {
		_, r := micro(t, "micro-read", "rdna2-rx6900xt", "", "bytes=1048576", "loads=64", "lanes=128", fmt.Sprintf("apart=%d", apart))
		for _, l := range r.Stats.Memory {
			if misses := l.Accesses - l.Hits; l.Name == "shader_array" && (misses < l.Accesses/sharing || misses > l.Accesses/sharing+l.Accesses/100) {
				t.Errorf("%d apart: %d misses of %d accesses of the shader arrays, want a %dth", apart, misses, l.Accesses, sharing)
			}
		}
	}
}

// With two loads in flight a wave takes some half as many latencies as it has loads (rows of memory open in another order), and with four at least a fourth.
func TestLoadsInFlight(t *testing.T) {
	cycles := func(loads, ahead int) uint64 {
		_, r := micro(t, "micro-read", "rdna2-rx6900xt", "", "bytes=1048576", "groups=1", "share=1", "lanes=32", "unrolled=32",
			fmt.Sprintf("ahead=%d", ahead), fmt.Sprintf("loads=%d", loads))
		return r.Stats.Cycles
	}
	one, two, four := cycles(512, 1)-cycles(256, 1), cycles(512, 2)-cycles(256, 2), cycles(512, 4)-cycles(256, 4)
	if a, b := float64(one)/float64(two), float64(one)/float64(four); math.Abs(a-2) > 0.2 || b < 2.5 || b > 4 {
		t.Errorf("256 loads take %d cycles one by one, %d with two in flight, %d with four", one, two, four)
	}
}

// Loads whose lanes are a line apart take longer than loads of adjacent lanes; one word further apart, their words are
// in different banks and take a fourth of that.
func TestMicroStrideCost(t *testing.T) {
	cycles := func(stride int) uint64 {
		_, r := micro(t, "micro-stride", "rdna2-rx6900xt", "", fmt.Sprintf("stride=%d", stride), "groups=4", "rounds=16")
		return r.Stats.Cycles
	}
	near, far, apart := cycles(1), cycles(32), cycles(33)
	if far < near+10*16*8*16 {
		t.Errorf("%d cycles side by side, %d a line apart", near, far)
	}
	if far-near < 3*(apart-near) || apart < near {
		t.Errorf("%d cycles side by side, %d a line apart, %d one word more", near, far, apart)
	}
}
