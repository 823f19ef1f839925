package gpu

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/internal/suite"
	"spvsim/spirv/asm"
)

// The operations OpGroupNonUniform* on every type and number of components, run as modules and worked out invocation by
// invocation from the text of the specification. It leaves the order of float reductions open, so the floats here are such that
// no order rounds or overflows: small whole numbers where they are added and compared, powers of two where they are multiplied.

// A sgType is a type of their operand, of one component.
type sgType struct {
	ngType
	scalar string // its id
	word   string // that of the integer of its size
}

var sgTypes = []sgType{
	{ngType{"bool", "", "", 1, false}, "%bool", ""},
	{ngType{"i8", "OpCapability Int8\n", "%byte = OpTypeInt 8 0\n", 8, false}, "%byte", "%byte"},
	{ngType{"i16", "OpCapability Int16\n", "%short = OpTypeInt 16 0\n", 16, false}, "%short", "%short"},
	{ngType{"i32", "", "", 32, false}, "%uint", "%uint"},
	{ngType{"i64", "", "", 64, false}, "%ulong", "%ulong"},
	{ngType{"f16", "OpCapability Int16\nOpCapability Float16\n", "%short = OpTypeInt 16 0\n%half = OpTypeFloat 16\n", 16, true}, "%half", "%short"},
	{ngType{"f32", "", "%float = OpTypeFloat 32\n", 32, true}, "%float", "%uint"},
	{ngType{"f64", "OpCapability Float64\n", "%double = OpTypeFloat 64\n", 64, true}, "%double", "%ulong"},
}

// A sgValue is a component: its bits, and what a float of these is.
type sgValue struct {
	bits  uint64
	float float64
}

// A sgLane is what an invocation brings: x, and y for products.
type sgLane struct {
	x, y   []sgValue
	active bool
}

// A sgGroup is a workgroup whose invocations bring what its lanes say.
type sgGroup struct {
	ty    sgType
	wave  int
	lanes []sgLane
}

const sgThreads = 100 // the last wave is not full

// sgActive are the conditions under which the invocations of a workgroup come to the operations.
var sgActive = []func(t int) bool{
	func(int) bool { return true },
	func(t int) bool { return t%3 != 1 },
	func(t int) bool { return uint32(t)*2654435761>>13&1 == 1 },
	func(t int) bool { return t%32 == 5 },
	func(int) bool { return true }, // where all bring the same
}

func (ty sgType) mask() uint64 { return 1<<(ty.bits-1)<<1 - 1 }

// value is what a float or integer of the type holds of whole numbers and scattered bits.
func (ty sgType) value(float float64, scattered uint64) sgValue {
	if ty.float {
		return sgValue{ngBits(float, ty.bits), float}
	}
	return sgValue{bits: scattered & ty.mask()}
}

func sgGroups(r *rand.Rand, ty sgType, components, wave int) (list []sgGroup) {
	for p, active := range sgActive {
		g := sgGroup{ty: ty, wave: wave, lanes: make([]sgLane, sgThreads)}
		for t := range g.lanes {
			l := &g.lanes[t]
			l.active = active(t)
			for range components {
				l.x = append(l.x, ty.value(float64(r.IntN(31)-15), r.Uint64()))
				l.y = append(l.y, ty.value(sgFactor(r, t), r.Uint64()|uint64(r.IntN(8)/2)))
			}
			if p == len(sgActive)-1 {
				l.x = g.lanes[0].x
			}
		}
		list = append(list, g)
	}
	return list
}

// sgFactor is 1, 2 or a half of either sign: of 64 invocations at most 11 have a two or a half, so that products stay within 16 bits.
func sgFactor(r *rand.Rand, t int) float64 {
	f := []float64{1, -1}[r.IntN(2)]
	if t%6 == 0 {
		f *= []float64{2, 0.5}[r.IntN(2)]
	}
	return f
}

// A sgRow is one instruction, and what component c of invocation t receives; false where that is undefined.
type sgRow struct {
	code   string
	truth  bool    // the result is one truth value
	result *sgType // of one that differs from the operand's
	want   func(g *sgGroup, t, c int) (uint64, bool)
}

// from is what the invocation at a place of t's subgroup brings: undefined outside and where that is inactive.
func (g *sgGroup) from(t, lane, c int) (uint64, bool) {
	at := t/g.wave*g.wave + lane
	if lane < 0 || lane >= g.wave || at >= len(g.lanes) || !g.lanes[at].active {
		return 0, false
	}
	return g.lanes[at].x[c].bits, true
}

var sgOps = append(slices.Clip(ngOps),
	ngOp{name: "IMul", ints: func(a, b uint64, _ uint) uint64 { return a * b }, identity: func(uint) uint64 { return 1 }},
	ngOp{name: "FMul", float: true, floats: func(a, b float64) float64 { return a * b }, none: 1},
	ngOp{name: "BitwiseAnd", ints: func(a, b uint64, _ uint) uint64 { return a & b }, identity: func(bits uint) uint64 { return 1<<(bits-1)<<1 - 1 }},
	ngOp{name: "BitwiseOr", ints: func(a, b uint64, _ uint) uint64 { return a | b }, identity: func(uint) uint64 { return 0 }},
	ngOp{name: "BitwiseXor", ints: func(a, b uint64, _ uint) uint64 { return a ^ b }, identity: func(uint) uint64 { return 0 }},
	ngOp{name: "LogicalAnd", ints: func(a, b uint64, _ uint) uint64 { return a & b }, identity: func(uint) uint64 { return 1 }},
	ngOp{name: "LogicalOr", ints: func(a, b uint64, _ uint) uint64 { return a | b }, identity: func(uint) uint64 { return 0 }},
	ngOp{name: "LogicalXor", ints: func(a, b uint64, _ uint) uint64 { return a ^ b }, identity: func(uint) uint64 { return 0 }},
)

// combine is an operation over the active invocations among [first, last), from its identity on.
func (g *sgGroup) combine(op ngOp, first, last, c int) uint64 {
	sum, float := uint64(0), op.none
	if !op.float {
		sum = op.identity(g.ty.bits)
	}
	for _, l := range g.lanes[first:min(last, len(g.lanes))] {
		value := l.x
		if strings.HasSuffix(op.name, "Mul") {
			value = l.y
		}
		switch {
		case !l.active:
		case op.float:
			float = op.floats(float, value[c].float)
		default:
			sum = op.ints(sum, value[c].bits, g.ty.bits) & g.ty.mask()
		}
	}
	if op.float {
		return ngBits(float, g.ty.bits)
	}
	return sum
}

// sgReductions are the reduction, the scans and the reductions of every cluster.
func sgReductions(op ngOp, wave int) (rows []sgRow) {
	value := "%x"
	if strings.HasSuffix(op.name, "Mul") {
		value = "%y"
	}
	add := func(kind, cluster string, of func(t int) (first, last int)) {
		rows = append(rows, sgRow{code: "OpGroupNonUniform" + op.name + " %V %sub " + kind + " " + value + cluster, want: func(g *sgGroup, t, c int) (uint64, bool) {
			first, last := of(t)
			return g.combine(op, first, last, c), true
		}})
	}
	add("Reduce", "", func(t int) (int, int) { return t / wave * wave, (t/wave + 1) * wave })
	add("InclusiveScan", "", func(t int) (int, int) { return t / wave * wave, t + 1 })
	add("ExclusiveScan", "", func(t int) (int, int) { return t / wave * wave, t })
	for n := 1; n <= wave; n *= 2 {
		add("ClusteredReduce", fmt.Sprintf(" %%u%d", n), func(t int) (int, int) { return t / n * n, (t/n + 1) * n })
	}
	return rows
}

// sgMoves are the operations that give an invocation another's value.
func sgMoves(wave int) (rows []sgRow) {
	add := func(code string, lane func(l int) int) {
		rows = append(rows, sgRow{code: code, want: func(g *sgGroup, t, c int) (uint64, bool) { return g.from(t, lane(t%wave), c) }})
	}
	for _, n := range []int{0, 1, 5, 31} {
		add(fmt.Sprintf("OpGroupNonUniformBroadcast %%V %%sub %%x %%u%d", n), func(int) int { return n })
	}
	add("OpGroupNonUniformShuffle %V %sub %x %back", func(l int) int { return wave - 1 - l })
	add("OpGroupNonUniformShuffle %V %sub %x %scattered", func(l int) int { return (7*l + 3) % wave })
	for _, n := range []int{1, 3, 8, 16, 31} {
		add(fmt.Sprintf("OpGroupNonUniformShuffleXor %%V %%sub %%x %%u%d", n), func(l int) int { return l ^ n })
		add(fmt.Sprintf("OpGroupNonUniformShuffleUp %%V %%sub %%x %%u%d", n), func(l int) int { return l - n })
		add(fmt.Sprintf("OpGroupNonUniformShuffleDown %%V %%sub %%x %%u%d", n), func(l int) int { return l + n })
		add(fmt.Sprintf("OpGroupNonUniformRotateKHR %%V %%sub %%x %%u%d", n), func(l int) int { return (l + n) % wave })
		for size := 1; size <= wave; size *= 2 {
			add(fmt.Sprintf("OpGroupNonUniformRotateKHR %%V %%sub %%x %%u%d %%u%d", n, size), func(l int) int { return l/size*size + (l+n)%size })
		}
	}
	for n := range 3 { // horizontal, vertical, diagonal
		add(fmt.Sprintf("OpGroupNonUniformQuadSwap %%V %%sub %%x %%u%d", n), func(l int) int { return l ^ (n + 1) })
	}
	for n := range 4 {
		add(fmt.Sprintf("OpGroupNonUniformQuadBroadcast %%V %%sub %%x %%u%d", n), func(l int) int { return l/4*4 + n })
	}
	return append(rows,
		sgRow{code: "OpGroupNonUniformBroadcastFirst %V %sub %x", want: func(g *sgGroup, t, c int) (uint64, bool) { return g.first(t)[c].bits, true }},
		sgRow{code: "OpGroupNonUniformAllEqual %bool %sub %x", truth: true, want: (*sgGroup).allEqual})
}

// first is what the lowest active invocation of t's subgroup brings.
func (g *sgGroup) first(t int) []sgValue {
	at := t / g.wave * g.wave
	for !g.lanes[at].active {
		at++
	}
	return g.lanes[at].x
}

func (g *sgGroup) allEqual(t, _ int) (uint64, bool) {
	first := t / g.wave * g.wave
	for _, l := range g.lanes[first:min(first+g.wave, len(g.lanes))] {
		if l.active && !slices.Equal(l.x, g.first(t)) {
			return 0, true
		}
	}
	return 1, true
}

func sgRows(ty sgType, wave int) (rows []sgRow) {
	for _, op := range sgOps {
		logical := strings.HasPrefix(op.name, "Logical")
		if op.float == ty.float && logical == (ty.name == "bool") {
			rows = append(rows, sgReductions(op, wave)...)
		}
	}
	return append(rows, sgMoves(wave)...)
}

const sgFrame = `; Version: 1.3
OpCapability Shader
OpCapability Int64
OpCapability GroupNonUniform
OpCapability GroupNonUniformVote
OpCapability GroupNonUniformArithmetic
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformShuffle
OpCapability GroupNonUniformShuffleRelative
OpCapability GroupNonUniformClustered
OpCapability GroupNonUniformQuad
OpCapability GroupNonUniformRotateKHR
%[1]sOpExtension "SPV_KHR_subgroup_rotate"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main" %%id %%group %%lane
OpExecutionMode %%main LocalSize %[2]d 1 1
OpDecorate %%id BuiltIn LocalInvocationIndex
OpDecorate %%group BuiltIn WorkgroupId
OpDecorate %%lane BuiltIn SubgroupLocalInvocationId
OpDecorate %%array ArrayStride 8
OpMemberDecorate %%block 0 Offset 0
OpDecorate %%block BufferBlock
OpDecorate %%in DescriptorSet 0
OpDecorate %%in Binding 0
OpDecorate %%out DescriptorSet 0
OpDecorate %%out Binding 1
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%bool = OpTypeBool
%%uint = OpTypeInt 32 0
%%ulong = OpTypeInt 64 0
%%uint3 = OpTypeVector %%uint 3
%[3]s%%sub = OpConstant %%uint 3
%%l0 = OpConstant %%ulong 0
%%l1 = OpConstant %%ulong 1
%[4]s%%array = OpTypeRuntimeArray %%ulong
%%block = OpTypeStruct %%array
%%p_block = OpTypePointer Uniform %%block
%%p_word = OpTypePointer Uniform %%ulong
%%in = OpVariable %%p_block Uniform
%%out = OpVariable %%p_block Uniform
%%p_uint3 = OpTypePointer Input %%uint3
%%p_uint = OpTypePointer Input %%uint
%%id = OpVariable %%p_uint Input
%%lane = OpVariable %%p_uint Input
%%group = OpVariable %%p_uint3 Input
%%main = OpFunction %%void None %%fn
%%entry = OpLabel
%%thread = OpLoad %%uint %%id
%%l = OpLoad %%uint %%lane
%%g3 = OpLoad %%uint3 %%group
%%g = OpCompositeExtract %%uint %%g3 0
%%before = OpIMul %%uint %%g %%u%[2]d
%%at = OpIAdd %%uint %%before %%thread
%%given = OpIMul %%uint %%at %%u%[5]d
%%base = OpIMul %%uint %%at %%u%[6]d
%%back = OpISub %%uint %%u%[7]d %%l
%%times = OpIMul %%uint %%l %%u7
%%further = OpIAdd %%uint %%times %%u3
%%scattered = OpBitwiseAnd %%uint %%further %%u%[7]d
%[8]sOpSelectionMerge %%end None
OpBranchConditional %%active %%then %%end
%%then = OpLabel
%[9]sOpBranch %%end
%%end = OpLabel
OpReturn
OpFunctionEnd
`

func sgText(ty sgType, components, wave int, rows []sgRow) string {
	vector, types, constants := ty.scalar, ty.decl, ""
	switch {
	case components == 3 && ty.name == "i32":
		vector = "%uint3" // of WorkgroupId
	case components > 1:
		vector, types = "%vector", types+fmt.Sprintf("%%vector = OpTypeVector %s %d\n", ty.scalar, components)
	}
	for n := range len(rows)*components + sgThreads + 1 {
		constants += fmt.Sprintf("%%u%d = OpConstant %%uint %d\n", n, n)
	}
	var code strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&code, "%%r%d = %s\n", i, strings.ReplaceAll(row.code, "%V", vector))
		of := ty
		if row.result != nil {
			of = *row.result
		}
		sgStore(&code, of, i, components, row.truth)
	}
	return fmt.Sprintf(sgFrame, ty.caps, sgThreads, types, constants, 2*components+1, len(rows)*components, wave-1, sgLoads(ty, vector, components), code.String())
}

// sgLoads reads %x, %y and %active.
func sgLoads(ty sgType, vector string, components int) string {
	var b strings.Builder
	word := func(n int) {
		fmt.Fprintf(&b, "%%at%d = OpIAdd %%uint %%given %%u%d\n%%in%d = OpAccessChain %%p_word %%in %%u0 %%at%d\n%%w%d = OpLoad %%ulong %%in%d\n", n, n, n, n, n, n)
	}
	for k, name := range []string{"x", "y"} {
		var parts string
		for c := range components {
			n := k*components + c
			word(n)
			b.WriteString(sgNarrow(ty, n))
			parts += fmt.Sprintf(" %%v%d", n)
		}
		if components > 1 {
			fmt.Fprintf(&b, "%%%s = OpCompositeConstruct %s%s\n", name, vector, parts)
		} else {
			fmt.Fprintf(&b, "%%%s = OpCopyObject %s%s\n", name, vector, parts)
		}
	}
	word(2 * components)
	fmt.Fprintf(&b, "%%active = OpINotEqual %%bool %%w%d %%l0\n", 2*components)
	return b.String()
}

// sgNarrow makes a value of the type of a word of 64 bits.
func sgNarrow(ty sgType, n int) string {
	if ty.name == "bool" {
		return fmt.Sprintf("%%v%d = OpINotEqual %%bool %%w%d %%l0\n", n, n)
	}
	text, from := "", fmt.Sprintf("%%w%d", n)
	if ty.bits < 64 {
		text, from = fmt.Sprintf("%%n%d = OpUConvert %s %s\n", n, ty.word, from), fmt.Sprintf("%%n%d", n)
	}
	if ty.float {
		return text + fmt.Sprintf("%%v%d = OpBitcast %s %s\n", n, ty.scalar, from)
	}
	return text + fmt.Sprintf("%%v%d = OpCopyObject %s %s\n", n, ty.scalar, from)
}

// sgStore stores the components of a result, each as a word of 64 bits.
func sgStore(b *strings.Builder, ty sgType, i, components int, truth bool) {
	for c := range components {
		n := i*components + c
		from := fmt.Sprintf("%%r%d", i)
		next := func(suffix, format string, args ...any) {
			to := fmt.Sprintf("%%%s%d", suffix, n)
			fmt.Fprintf(b, "%s = %s\n", to, fmt.Sprintf(format, args...))
			from = to
		}
		if components > 1 && !truth {
			next("c", "OpCompositeExtract %s %s %d", ty.scalar, from, c)
		}
		switch {
		case truth || ty.name == "bool":
			next("b", "OpSelect %%ulong %s %%l1 %%l0", from)
		case ty.float:
			next("b", "OpBitcast %s %s", ty.word, from)
		}
		if !truth && ty.bits > 1 && ty.bits < 64 {
			next("z", "OpUConvert %%ulong %s", from)
		}
		fmt.Fprintf(b, "%%o%d = OpIAdd %%uint %%base %%u%d\n%%p%d = OpAccessChain %%p_word %%out %%u0 %%o%d\nOpStore %%p%d %s\n", n, n, n, n, n, from)
	}
}

func sgInput(groups []sgGroup) (data []byte) {
	for i := range groups {
		for _, l := range groups[i].lanes {
			for _, v := range slices.Concat(l.x, l.y) {
				data = binary.LittleEndian.AppendUint64(data, v.bits)
			}
			data = binary.LittleEndian.AppendUint64(data, b2w(l.active))
		}
	}
	return data
}

func b2w(b bool) uint64 { return uint64(b2i(b)) }

// A sgTarget is where the modules run.
type sgTarget struct {
	machine, lowering, mode string
	wave                    int
}

var sgTargets = []sgTarget{
	{"rdna3-rx7900xtx", "dpp", "timed", 32},
	{"rdna3-rx7900xtx", "lds", "functional", 32},
	{"rdna3-rx7900xtx", "lds", "timed", 64},
	{"cdna3-mi300a", "dpp", "timed", 64},
	{"gcn3-r9nano", "dpp", "functional", 64},
}

func TestSubgroupOperations(t *testing.T) {
	for _, ty := range sgTypes {
		for components := 1; components <= 4; components++ {
			for i, on := range sgTargets {
				if testing.Short() && (i != (components+int(ty.bits))%len(sgTargets) || components%2 == int(ty.bits/8)%2) {
					continue // each type on some, with some numbers of components
				}
				if !testing.Short() && !suite.AllCases() && (i+components)%2 != 0 {
					continue // each type on all, with half of the numbers of components on each
				}
				t.Run(fmt.Sprintf("%s/%d/%s/wave%d/%s", ty.name, components, on.machine, on.wave, on.lowering), func(t *testing.T) {
					t.Parallel()
					checkSubgroups(t, ty, components, on)
				})
			}
		}
	}
}

func checkSubgroups(t *testing.T, ty sgType, components int, on sgTarget) {
	rows := sgRows(ty, on.wave)
	groups := sgGroups(rand.New(rand.NewPCG(uint64(components), uint64(ty.bits))), ty, components, on.wave)
	checkRows(t, sgText(ty, components, on.wave, rows), groups, rows, components, on)
}

// checkRows compares what every active invocation receives with what is wanted of each row; one NaN is as good as another.
func checkRows(t *testing.T, text string, groups []sgGroup, rows []sgRow, components int, on sgTarget) {
	out := runSubgroups(t, text, groups, len(rows)*components, on)
	for p := range groups {
		for thread, lane := range groups[p].lanes {
			if !lane.active {
				continue
			}
			for n := range len(rows) * components {
				row, c := &rows[n/components], n%components
				want, defined := row.want(&groups[p], thread, c)
				at := (p*sgThreads+thread)*len(rows)*components + n
				if got := binary.LittleEndian.Uint64(out[8*at:]); defined && got != want && !row.nans(&groups[p], got, want) {
					t.Fatalf("workgroup %d, invocation %d (%#x, %#x), component %d of %s: %#x, want %#x", p, thread, lane.x[c].bits, lane.y[c].bits, c, row.code, got, want)
				}
			}
		}
	}
}

// nans says that two results of a row are both NaN.
func (row *sgRow) nans(g *sgGroup, a, b uint64) bool {
	of := g.ty
	if row.result != nil {
		of = *row.result
	}
	above := func(x uint64) bool { return x&(of.mask()>>1) > ngBits(math.Inf(1), of.bits) }
	return of.float && !row.truth && above(a) && above(b)
}

func runSubgroups(t *testing.T, text string, groups []sgGroup, results int, on sgTarget) []byte {
	t.Helper()
	suite.Must(asm.Assemble([]byte(text), "text"))(t)
	files := fstest.MapFS{"m.spvasm": &fstest.MapFile{Data: []byte(text)}, "in.bin": &fstest.MapFile{Data: sgInput(groups)}}
	set := []string{"shader_engines=1", "compute_units=2", fmt.Sprintf("wave_size=%d", on.wave), "timing.lowering=" + on.lowering}
	with := setupBeside(t, files, fmt.Sprintf(`shader: m.spvasm
buffers:
  - {set: 0, binding: 0, name: in, data: {file: in.bin}}
  - {set: 0, binding: 1, name: out, data: {zero: %d}}
dispatch: [%d]
`, len(groups)*sgThreads*results*8, len(groups)), on.machine, set...)
	with.Mode = on.mode
	r := suite.Must(Run(context.Background(), with))(t)
	return r.Buffers[1].Bytes
}
