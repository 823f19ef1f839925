package gpu

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/isa"
)

// inTrip is the number of products in a round of the loop.
const inTrip = 64

// peakText is a module whose waves add products to sums in turn, in a loop of as many rounds as a specialization constant says.
func peakText(o *isa.MatrixOp, lanes, sums int) string {
	a, c := formatsOf[o.A].name, formatsOf[o.C].name
	text := fmt.Sprintf(matrixFrame, lanes, "OpDecorate %ma DescriptorSet 0\nOpDecorate %ma Binding 0\nOpDecorate %words ArrayStride 4\nOpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\nOpDecorate %trips SpecId 1\n")
	text = strings.Replace(text, "%ma %mb %mc %md %lane", "%ma %lane", 1)
	text += fmt.Sprintf(`%%words = OpTypeRuntimeArray %%u32
%%block = OpTypeStruct %%words
%%p_block = OpTypePointer StorageBuffer %%block
%%p_word = OpTypePointer StorageBuffer %%u32
%%ma = OpVariable %%p_block StorageBuffer
%%trips = OpSpecConstant %%u32 1
%%c16 = OpConstant %%u32 16
%%k = OpConstant %%u32 %d
%%TA = OpTypeCooperativeMatrixKHR %%%s %%c3 %%c16 %%k %%c0
%%TB = OpTypeCooperativeMatrixKHR %%%s %%c3 %%k %%c16 %%c1
%%TC = OpTypeCooperativeMatrixKHR %%%s %%c3 %%c16 %%c16 %%c2
%%zero = OpConstantNull %%TC
%%main = OpFunction %%void None %%fn
%%start = OpLabel
%%p = OpAccessChain %%p_word %%ma %%c0 %%c0
%%a = OpCooperativeMatrixLoadKHR %%TA %%p %%c0 %%c16 NonPrivatePointer
%%b = OpCooperativeMatrixLoadKHR %%TB %%p %%c0 %%c16 NonPrivatePointer
OpBranch %%head
%%head = OpLabel
%%i = OpPhi %%u32 %%c0 %%start %%next %%cont
`, o.K, a, formatsOf[o.B].name, c)
	var body, store strings.Builder
	for n := range inTrip {
		sum := fmt.Sprintf("%%d%d", n-sums)
		if n < sums {
			sum = fmt.Sprintf("%%s%d", n)
			text += fmt.Sprintf("%%s%d = OpPhi %%TC %%zero %%start %%d%d %%cont\n", n, inTrip-sums+n)
			fmt.Fprintf(&store, "OpCooperativeMatrixStoreKHR %%p %%s%d %%c0 %%c16 Volatile|NonPrivatePointer\n", n)
		}
		fmt.Fprintf(&body, "%%d%d = OpCooperativeMatrixMulAddKHR %%TC %%a %%b %s\n", n, sum)
	}
	return text + loopText(body.String()) + store.String() + "OpReturn\nOpFunctionEnd\n"
}

// loopText is the text of a loop from its merge on: a body that runs while %i is below %trips.
func loopText(body string) string {
	return `OpLoopMerge %done %cont DontUnroll
OpBranch %test
%test = OpLabel
%more = OpULessThan %bool %i %trips
OpBranchConditional %more %work %done
%work = OpLabel
` + body + `OpBranch %cont
%cont = OpLabel
%next = OpIAdd %u32 %i %c1
OpBranch %head
%done = OpLabel
`
}

// peakCycles runs the module on one compute unit.
func peakCycles(t *testing.T, text, machine string, wave, groups, trips int, set ...string) uint64 {
	t.Helper()
	files := fstest.MapFS{"m.spvasm": &fstest.MapFile{Data: []byte(text)}}
	set = append([]string{"shader_engines=1", "compute_units=1", fmt.Sprintf("wave_size=%d", wave)}, set...)
	with := setupBeside(t, files, fmt.Sprintf(`shader: m.spvasm
specialization: {1: %d}
buffers: [{set: 0, binding: 0, name: a, data: {zero: 65536}}]
dispatch: [%d]
`, trips, groups), machine, set...)
	r := suite.Must(Run(context.Background(), with))(t)
	return r.Stats.Cycles
}

// The cycles of a product at the peak, by the published tables, and how many SIMDs work at once.
var peaks = map[string]struct {
	simds  int
	cycles map[isa.Class]int
}{
	"cdna2-mi210":     {4, map[isa.Class]int{isa.ClassMatrixF16: 32, isa.ClassMatrixBF16: 32, isa.ClassMatrixI8: 32, isa.ClassMatrixF32: 32, isa.ClassMatrixF64: 32}},
	"cdna3-mi300a":    {4, map[isa.Class]int{isa.ClassMatrixF16: 16, isa.ClassMatrixBF16: 16, isa.ClassMatrixI8: 16, isa.ClassMatrixF8: 16, isa.ClassMatrixF32: 32, isa.ClassMatrixF64: 32}},
	"cdna4-mi350p":    {4, map[isa.Class]int{isa.ClassMatrixF16: 16, isa.ClassMatrixBF16: 16, isa.ClassMatrixI8: 16, isa.ClassMatrixF8: 32, isa.ClassMatrixF32: 32, isa.ClassMatrixF64: 64}},
	"rdna3-rx7900xtx": {2, map[isa.Class]int{isa.ClassMatrixF16: 32, isa.ClassMatrixBF16: 32, isa.ClassMatrixI8: 32}},
	"rdna4-like":      {2, map[isa.Class]int{isa.ClassMatrixF16: 16, isa.ClassMatrixBF16: 16, isa.ClassMatrixI8: 8, isa.ClassMatrixF8: 8}},
}

// Waves of independent products reach the peak of the tables within 2 %.
func TestMatrixPeak(t *testing.T) {
	const trips, waves = 5, 4 // whose loops hide behind each other's products
	for _, m := range matrixMachines[:len(peaks)] {
		for _, wave := range m.waves {
			if testing.Short() && wave != m.waves[0] {
				continue
			}
			done := map[isa.Class]bool{}
			for _, o := range productsOf(m.unit) {
				if done[o.Class] {
					continue
				}
				done[o.Class] = true
				text, p := peakText(&o, wave, 8), peaks[m.name]
				few := peakCycles(t, text, m.name, wave, p.simds*waves, trips)
				many := peakCycles(t, text, m.name, wave, p.simds*waves, 2*trips)
				want := float64(trips * inTrip * waves * p.cycles[o.Class])
				if got := float64(many - few); got < want || got > 1.02*want {
					t.Errorf("%s, wave%d, %s: %v cycles for %d products of each SIMD: want %v to %v", m.name, wave, o.Name, got, trips*inTrip*waves, want, 1.02*want)
				}
			}
		}
	}
}

// The cycles of a product make the rates of product pages, dense: tera-operations per second.
func TestMatrixRatesOfProductPages(t *testing.T) {
	for name, page := range map[string]map[isa.Class]float64{
		"cdna2-mi210":  {isa.ClassMatrixF16: 181, isa.ClassMatrixBF16: 181, isa.ClassMatrixI8: 181, isa.ClassMatrixF32: 45.3, isa.ClassMatrixF64: 45.3},
		"cdna3-mi300a": {isa.ClassMatrixF16: 980.6, isa.ClassMatrixBF16: 980.6, isa.ClassMatrixF8: 1961.2, isa.ClassMatrixI8: 1961.2, isa.ClassMatrixF32: 122.6, isa.ClassMatrixF64: 122.6},
		"cdna3-mi300x": {isa.ClassMatrixF16: 1307.4, isa.ClassMatrixBF16: 1307.4, isa.ClassMatrixF8: 2614.9, isa.ClassMatrixI8: 2614.9, isa.ClassMatrixF32: 163.4, isa.ClassMatrixF64: 163.4},
		"cdna4-mi350p": {isa.ClassMatrixF16: 1150, isa.ClassMatrixBF16: 1150, isa.ClassMatrixF8: 2300, isa.ClassMatrixI8: 2300, isa.ClassMatrixF32: 72, isa.ClassMatrixF64: 36},
	} {
		m := suite.Must(config.Preset(name))(t)
		unit, _ := isa.FindMatrixUnit(m.Matrix.Unit)
		best := map[isa.Class]float64{}
		for _, o := range productsOf(unit) {
			work := float64(2*isa.MatrixTile*isa.MatrixTile*o.K*m.Units()*m.SIMDs*m.ClockMHz) / 1e6
			best[o.Class] = max(best[o.Class], work/float64(m.Timing.Classes[o.Class.String()].Busy))
		}
		for class, want := range page {
			if got := best[class]; math.Abs(got/want-1) > 0.005 {
				t.Errorf("%s, %s: %.1f, want %g", name, class, got, want)
			}
		}
	}
}

// A wave whose products add to one sum issues the next when the unit is free; matrix.accumulate comes on top, up to the latency.
func TestProductsThatAddToOneSum(t *testing.T) {
	const trips = 3
	o := productsOf(isa.CDNA3)[0]
	text := peakText(&o, 64, 1)
	cycles := func(set ...string) uint64 {
		return peakCycles(t, text, "cdna3-mi300a", 64, 1, 2*trips, set...) - peakCycles(t, text, "cdna3-mi300a", 64, 1, trips, set...)
	}
	first := cycles()
	for _, c := range []struct {
		set  string
		more int // cycles of each product
	}{{"matrix.accumulate=4", 4}, {"matrix.accumulate=16", 16}, {"matrix.accumulate=400", 16}, {"matrix.width=0.5", 16}} {
		// The branch of the loop hides what the last product of a round takes longer.
		if got, want := cycles(c.set), first+uint64((inTrip-1)*trips*c.more); got != want {
			t.Errorf("%s: %d cycles, %d without: want %d", c.set, got, first, want)
		}
	}
	if want := uint64(inTrip * trips * 16); first < want || first > want+want/5 {
		t.Errorf("%d cycles for %d products: want %d and the loop's", first, inTrip*trips, want)
	}
}
