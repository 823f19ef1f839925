package program

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/program/opt"
)

// meansTheSame lowers a random function, and compares the memory of a wave with that of its lanes as threads.
func meansTheSame(t *testing.T, seed uint64, target Target) *Program {
	t.Helper()
	f := generate(seed)
	want := make([]uint32, 64*genVars)
	for lane := range target.WaveSize {
		runLane(f, uint64(lane), 5, want)
	}
	opt.Run(f, opt.Options{WaveSize: target.WaveSize})
	p := suite.Must(emit(context.Background(), f, &target))(t)
	p.LocalSize[0] = uint32(target.WaveSize)
	bytes := make([]byte, 4*len(want))
	runWave(t, p, 5, bytes)
	got := make([]uint32, len(want))
	for i := range got {
		got[i] = binary.LittleEndian.Uint32(bytes[4*i:])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("seed %d, wave of %d, %d vector and %d scalar registers (-threads +wave):\n%s\n%v", seed, target.WaveSize, target.VectorMax, target.ScalarMax, diff, p.Spills)
	}
	return p
}

// Random control flow leaves the same memory however few registers a wave has, and with enough of them nothing is spilled.
func TestSpilledProgramsMeanTheSame(t *testing.T) {
	seeds := uint64(150)
	if suite.AllCases() {
		seeds = 1000
	}
	var vector, scalar, over int
	for seed := range seeds {
		target := Target{WaveSize: 32 << (seed % 2), Descriptors: seed%3 == 0, VectorMax: 1000, ScalarMax: 1000}
		if p := meansTheSame(t, seed, target); p.Spills.Any() {
			t.Fatalf("seed %d: %+v with all registers", seed, p.Spills)
		}
		target.VectorMax, target.ScalarMax = 3+int(seed%8), 8+int(seed%8)
		p := meansTheSame(t, seed, target)
		vector, scalar = vector+p.Spills.VectorStores, scalar+p.Spills.ScalarWrites
		if p.VectorRegs > target.VectorMax && target.VectorMax >= enough {
			over++
		}
	}
	if vector == 0 || scalar == 0 || over > int(seeds)/100 {
		t.Errorf("%d stores, %d writes of lanes, %d of %d programs do not keep to the limit", vector, scalar, over, seeds)
	}
}

// enough registers suffice for any instruction of a random function, with its temporaries.
const enough = 7

// liveValues makes n values, each of the one before, and then reads each once, in order. Uniform: the first is the same in all lanes.
func liveValues(n int, uniform bool) string {
	s := newShader()
	if uniform {
		s.names.WriteString("OpDecorate %group BuiltIn WorkgroupId\n")
		s.typef("%%group = OpVariable %%inptr Input")
		s.add("%%groups = OpLoad %%uint3 %%group\n%%v0 = OpCompositeExtract %%uint %%groups 0")
	} else {
		s.load("v0", "%x")
	}
	for k := 1; k < n; k++ {
		s.add("%%t%d = OpBitwiseXor %%uint %%v%d %%u7\n%%v%d = OpIMul %%uint %%t%d %%v%d", k, k-1, k, k, k-1)
	}
	s.add("%%s0 = OpIAdd %%uint %%x %%u1")
	for k := range n {
		s.add("%%r%d = OpBitwiseXor %%uint %%s%d %%v%d\n%%s%d = OpIMul %%uint %%r%d %%u7", k, k, k, k+1, k)
	}
	s.add("%%y = OpIAdd %%uint %%x %%u64")
	s.typef("%%u64 = OpConstant %%uint 64")
	s.store("out", "%y", fmt.Sprintf("%%s%d", n))
	if uniform {
		return strings.Replace(s.text(), `"main" %id`, `"main" %id %group`, 1)
	}
	return s.text()
}

// valuesOf returns the value that an invocation writes.
func valuesOf(n int, x, first uint32) uint32 {
	list := []uint32{first}
	for k := 1; k < n; k++ {
		list = append(list, (list[k-1]^7)*list[k-1])
	}
	sum := x + 1
	for _, v := range list {
		sum = (sum ^ v) * 7
	}
	return sum
}

// runValues lowers such a shader and compares its output.
func runValues(t *testing.T, n int, uniform bool, target Target) *Program {
	t.Helper()
	target.Opt.FuseMad = true
	p := suite.Must(lowerText(context.Background(), t, liveValues(n, uniform), target))(t)
	group := uint32(0)
	if uniform {
		group = 9
	}
	data := make([]byte, 4*128*(1+int(group)))
	for i := range uint32(64) {
		binary.LittleEndian.PutUint32(data[4*i:], 3*i+5)
	}
	runWave(t, p, group, data)
	for x := range uint32(64) {
		first := 3*x + 5
		if uniform {
			first = group
		}
		if got, want := binary.LittleEndian.Uint32(data[4*(64*(1+group)+x):]), valuesOf(n, 64*group+x, first); got != want {
			t.Fatalf("%d values, uniform %t, %d and %d registers: invocation %d wrote %#x, want %#x", n, uniform, target.VectorMax, target.ScalarMax, x, got, want)
		}
	}
	return p
}

// Of values that are read once, each that has no register is stored once and loaded once: as many as live at once, with the address, less the
// registers that there are. The listing has just these.
func TestSpillsOfLiveValues(t *testing.T) {
	for _, n := range []int{100, 255, 256, 300, 400} {
		for _, most := range []int{0, 64, 128, 256} {
			p := runValues(t, n, false, Target{WaveSize: 64, VectorMax: most, Descriptors: true})
			want := n + liveBeside - most
			if most == 0 {
				want = 0
			}
			want = max(want, 0)
			if s := p.Spills; s.VectorStores != want || s.VectorLoads != want || s.VectorWords != want || int(p.ScratchWords) != want || s.ScalarWrites != 0 {
				t.Errorf("%d values and %d registers: %v, want %d", n, most, s, want)
			}
			if got := count(p, func(in *isa.Inst) bool { return in.Mem != nil && in.Mem.Space == isa.SpaceScratch }); got != 2*want {
				t.Errorf("%d values and %d registers: %d accesses to scratch, want %d", n, most, got, 2*want)
			}
			if most > 0 && p.VectorRegs > most {
				t.Errorf("%d values: %d of %d registers", n, p.VectorRegs, most)
			}
		}
	}
}

// liveBeside are the values that live with all those of liveValues: the address, and the sum that begins.
const liveBeside = 2

// The same of scalar registers and lanes, which take vector registers of their own.
func TestSpillsOfUniformValues(t *testing.T) {
	for _, n := range []int{40, 90, 150, 300} {
		for _, most := range []int{0, 64, 104} {
			p := runValues(t, n, true, Target{WaveSize: 32, ScalarMax: most})
			s := p.Spills
			writes := count(p, func(in *isa.Inst) bool { return in.Op == isa.SaveLane })
			reads := count(p, func(in *isa.Inst) bool { return in.Op == isa.RestoreLane })
			if writes != s.ScalarWrites || reads != s.ScalarReads || writes != reads || s.ScalarLanes != writes || s.VectorStores != 0 {
				t.Errorf("%d values and %d registers: %v, the program has %d writes and %d reads", n, most, s, writes, reads)
			}
			if over := n + besideOne - most; most > 0 && writes != max(over, 0) || most == 0 && writes > 0 {
				t.Errorf("%d values and %d registers: %d kept, want %d", n, most, writes, over)
			}
			if most > 0 && p.ScalarRegs > most || p.VectorRegs != runValues(t, n, true, Target{WaveSize: 32}).VectorRegs+(writes+31)/32 {
				t.Errorf("%d values and %d registers: %d vector and %d scalar registers", n, most, p.VectorRegs, p.ScalarRegs)
			}
		}
	}
}

// besideOne are the scalar registers of a shader with one binding that hold no value: its descriptor and VCC.
const besideOne = 4 + 2

func count(p *Program, is func(in *isa.Inst) bool) (n int) {
	for i := range p.Insts {
		if is(&p.Insts[i]) {
			n++
		}
	}
	return n
}

// doubled is a module that loads and stores a structure of 2^depth words of LDS at once: all loads come before the first store.
func doubled(depth int) string {
	var b strings.Builder
	b.WriteString("; Version: 1.6\nOpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" %lds\n" +
		"OpExecutionMode %main LocalSize 32 1 1\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%t0 = OpTypeInt 32 0\n")
	for i := range depth {
		fmt.Fprintf(&b, "%%t%d = OpTypeStruct %%t%d %%t%d\n", i+1, i, i)
	}
	fmt.Fprintf(&b, "%%ptr = OpTypePointer Workgroup %%t%d\n%%lds = OpVariable %%ptr Workgroup\n%%main = OpFunction %%void None %%fn\n%%entry = OpLabel\n"+
		"%%all = OpLoad %%t%d %%lds\nOpStore %%lds %%all\nOpReturn\nOpFunctionEnd\n", depth, depth)
	return b.String()
}

// A value is spilled that is made where registers are short, and not read before many others are made: each once, and no register is
// used beyond the limit.
func TestSpillsOfLoadedValues(t *testing.T) {
	for _, depth := range []int{9, 12} {
		p := suite.Must(lowerText(context.Background(), t, doubled(depth), Target{WaveSize: 32, VectorMax: 64, Descriptors: true}))(t)
		n := 1 << depth
		if s := p.Spills; p.VectorRegs > 64 || s.VectorStores < n-64 || s.VectorStores > n || s.VectorLoads != s.VectorStores {
			t.Errorf("%d words in %d registers: %v", n, p.VectorRegs, s)
		}
	}
}
