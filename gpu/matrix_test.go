package gpu

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"spvsim/isa"
)

// Cooperative matrices, each instruction on each format, use and wave size, from memory to memory, against what plain loops over
// the elements give.

// A format is a component type.
type format struct {
	name   string // in the modules
	t      isa.Type
	signed bool
}

var (
	fF16  = format{"f16", isa.F16, true}
	fBF16 = format{"bf16", isa.BF16, true}
	fE4M3 = format{"e4m3", isa.E4M3, true}
	fE5M2 = format{"e5m2", isa.E5M2, true}
	fF32  = format{"f32", isa.F32, true}
	fF64  = format{"f64", isa.F64, true}
	fS8   = format{"s8", isa.I8, true}
	fU8   = format{"u8", isa.I8, false}
	fS32  = format{"s32", isa.I32, true}
	fU32  = format{"u32", isa.I32, false}
)

const matrixFrame = `; Version: 1.6
OpCapability Shader
OpCapability Float16
OpCapability Float64
OpCapability Int8
OpCapability StorageBuffer16BitAccess
OpCapability StorageBuffer8BitAccess
OpCapability VulkanMemoryModel
OpCapability BFloat16TypeKHR
OpCapability Float8EXT
OpCapability CooperativeMatrixKHR
OpCapability BFloat16CooperativeMatrixKHR
OpCapability Float8CooperativeMatrixEXT
OpExtension "SPV_KHR_bfloat16"
OpExtension "SPV_EXT_float8"
OpExtension "SPV_KHR_cooperative_matrix"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %%main "main" %%ma %%mb %%mc %%md %%lane
OpExecutionMode %%main LocalSize %d 1 1
OpDecorate %%lane BuiltIn LocalInvocationIndex
OpDecorate %%rows SpecId 0
%s%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%bool = OpTypeBool
%%u32 = OpTypeInt 32 0
%%s32 = OpTypeInt 32 1
%%u8 = OpTypeInt 8 0
%%s8 = OpTypeInt 8 1
%%f16 = OpTypeFloat 16
%%f32 = OpTypeFloat 32
%%f64 = OpTypeFloat 64
%%bf16 = OpTypeFloat 16 BFloat16KHR
%%e4m3 = OpTypeFloat 8 Float8E4M3EXT
%%e5m2 = OpTypeFloat 8 Float8E5M2EXT
%%c0 = OpConstant %%u32 0
%%c1 = OpConstant %%u32 1
%%c2 = OpConstant %%u32 2
%%c3 = OpConstant %%u32 3
%%rows = OpSpecConstant %%u32 16
%%p_lane = OpTypePointer Input %%u32
%%lane = OpVariable %%p_lane Input
`

// A placed is a matrix in a buffer.
type placed struct {
	f          format
	use        isa.MatrixUse
	rows, cols int
	column     bool // column major
	pad        int  // elements between rows (columns) beyond their length
	at         [][]uint64
}

func (p *placed) stride() int {
	if p.column {
		return p.rows + p.pad
	}
	return p.cols + p.pad
}

func (p *placed) place(i, j int) int {
	if p.column {
		return j*p.stride() + i
	}
	return i*p.stride() + j
}

func (p *placed) bytes() []byte {
	n := int(p.f.t.Bits() / 8)
	out := make([]byte, p.stride()*max(p.rows, p.cols)*n)
	for i := range p.at {
		for j, x := range p.at[i] {
			var word [8]byte
			binary.LittleEndian.PutUint64(word[:], x)
			copy(out[p.place(i, j)*n:], word[:n])
		}
	}
	return out
}

func (p *placed) read(b []byte) [][]uint64 {
	n := int(p.f.t.Bits() / 8)
	m := newMatrix(p.rows, p.cols, func(i, j int) uint64 {
		var word [8]byte
		copy(word[:], b[p.place(i, j)*n:][:n])
		return binary.LittleEndian.Uint64(word[:])
	})
	return m
}

func newMatrix(rows, cols int, f func(i, j int) uint64) [][]uint64 {
	m := make([][]uint64, rows)
	for i := range m {
		m[i] = make([]uint64, cols)
		for j := range m[i] {
			m[i][j] = f(i, j)
		}
	}
	return m
}

// A matrixJob has four matrices, the last of which the module's body writes as %d.
type matrixJob struct {
	machine string
	wave    int
	lanes   int // of the workgroup; 0: one wave
	m       [4]placed
	body    string
	extra   string // declarations
	before  string // functions' bodies after main, if any
	vars    string // of main
	set     []string
}

// text is the module: for each matrix a buffer %mX, its type %X, a pointer
// %pX to its first element, layout %lX and stride %sX.
func (j *matrixJob) text() string {
	lanes := j.lanes
	if lanes == 0 {
		lanes = j.wave
	}
	var names, types, loads strings.Builder
	for i, p := range j.m {
		n, f := string("abcd"[i]), p.f.name
		fmt.Fprintf(&names, "OpDecorate %%m%s DescriptorSet 0\nOpDecorate %%m%s Binding %d\nOpDecorate %%array_%s ArrayStride %d\n", n, n, i, n, p.f.t.Bits()/8)
		fmt.Fprintf(&names, "OpDecorate %%block_%s Block\nOpMemberDecorate %%block_%s 0 Offset 0\n", n, n)
		fmt.Fprintf(&types, "%%array_%s = OpTypeRuntimeArray %%%s\n%%block_%s = OpTypeStruct %%array_%s\n", n, f, n, n)
		fmt.Fprintf(&types, "%%p_block_%s = OpTypePointer StorageBuffer %%block_%s\n%%m%s = OpVariable %%p_block_%s StorageBuffer\n", n, n, n, n)
		fmt.Fprintf(&types, "%%rows_%s = OpConstant %%u32 %d\n%%cols_%s = OpConstant %%u32 %d\n%%stride_%s = OpConstant %%u32 %d\n", n, p.rows, n, p.cols, n, p.stride())
		fmt.Fprintf(&loads, "%%p%s = OpAccessChain %%ptr_%s %%m%s %%c0 %%c0\n", n, f, n)
	}
	seen := map[string]string{}
	for i, p := range j.m {
		n := string("abcd"[i])
		key := fmt.Sprint(p.f.name, p.rows, p.cols, p.use)
		if first := seen[key]; first != "" { // one type is declared once
			types.WriteString("; " + n + " is " + first + "\n")
			j.body, j.extra, j.before = rename(j.body, n, first), rename(j.extra, n, first), rename(j.before, n, first)
			continue
		}
		seen[key] = n
		rows := "%rows_" + n
		if p.rows == 16 {
			rows = "%rows" // specialized
		}
		fmt.Fprintf(&types, "%%T%s = OpTypeCooperativeMatrixKHR %%%s %%c3 %s %%cols_%s %%c%d\n", n, p.f.name, rows, n, p.use)
	}
	pointers := map[string]bool{}
	for _, p := range j.m {
		if !pointers[p.f.name] {
			pointers[p.f.name] = true
			fmt.Fprintf(&types, "%%ptr_%s = OpTypePointer StorageBuffer %%%s\n", p.f.name, p.f.name)
		}
	}
	text := fmt.Sprintf(matrixFrame, lanes, names.String()) + types.String() + j.extra
	text += "%main = OpFunction %void None %fn\n%start = OpLabel\n" + j.vars + loads.String() + j.body
	return text + "OpReturn\nOpFunctionEnd\n" + j.before
}

// rename gives a body that says %TX the type declared for another matrix.
func rename(body, from, to string) string { return strings.ReplaceAll(body, "%T"+from, "%T"+to) }

// load is the instruction that loads matrix n.
func (j *matrixJob) load(n string) string {
	p := &j.m[strings.Index("abcd", n)]
	return fmt.Sprintf("%%%s = OpCooperativeMatrixLoadKHR %%T%s %%p%s %%c%d %%stride_%s NonPrivatePointer\n", n, n, n, b2i(p.column), n)
}

func (j *matrixJob) store() string {
	return fmt.Sprintf("OpCooperativeMatrixStoreKHR %%pd %%d %%c%d %%stride_d NonPrivatePointer\n", b2i(j.m[3].column))
}

func b2i(x bool) int {
	if x {
		return 1
	}
	return 0
}

func (j *matrixJob) setup(t *testing.T) Setup {
	t.Helper()
	files := fstest.MapFS{"m.spvasm": &fstest.MapFile{Data: []byte(j.text())}}
	text := "shader: m.spvasm\ndispatch: [1]\nbuffers:\n"
	for i := range j.m {
		n := string("abcd"[i])
		files[n] = &fstest.MapFile{Data: j.m[i].bytes()}
		text += fmt.Sprintf("  - {set: 0, binding: %d, name: %s, data: {file: %s}}\n", i, n, n)
	}
	// One workgroup runs: of a whole machine, building it would take most of the time.
	set := append([]string{"shader_engines=1", "compute_units=1", fmt.Sprintf("wave_size=%d", j.wave)}, j.set...)
	return setupBeside(t, files, text, j.machine, set...)
}

func (j *matrixJob) run(t *testing.T) (*Result, [][]uint64) {
	t.Helper()
	r, err := Run(context.Background(), j.setup(t))
	if err != nil {
		t.Fatalf("%v\n%s", err, j.text())
	}
	return r, j.m[3].read(r.named("d"))
}

// fails runs a job that is to be refused.
func (j *matrixJob) fails(t *testing.T) error {
	t.Helper()
	_, err := Run(context.Background(), j.setup(t))
	return err
}

// check compares the result with what each element should be.
func (j *matrixJob) check(t *testing.T, want func(i, k int) uint64) *Result {
	t.Helper()
	r, got := j.run(t)
	for i := range got {
		for k := range got[i] {
			if w := want(i, k) & j.m[3].f.t.Mask(); got[i][k] != w {
				t.Fatalf("element %d, %d is %#x: want %#x\n%s", i, k, got[i][k], w, j.text())
			}
		}
	}
	return r
}

// element makes a random number of a format; floats near one.
func element(r *rand.Rand, f format) uint64 {
	if !f.t.IsFloat() {
		return r.Uint64() & f.t.Mask()
	}
	return isa.FloatBits(f.t, math.Ldexp(r.Float64()-0.5, r.IntN(6)))
}

func (p *placed) fill(r *rand.Rand) {
	p.at = newMatrix(p.rows, p.cols, func(int, int) uint64 { return element(r, p.f) })
}

// machines with a matrix unit, and those whose lanes multiply.
var matrixMachines = []struct {
	name  string
	unit  isa.MatrixUnit
	waves []int
	set   []string
}{
	{"cdna2-mi210", isa.CDNA2, []int{64}, nil},
	{"cdna3-mi300a", isa.CDNA3, []int{64}, nil},
	{"cdna4-mi350p", isa.CDNA4, []int{64}, nil},
	{"rdna3-rx7900xtx", isa.RDNA3, []int{32, 64}, nil},
	{"rdna4-like", isa.RDNA4, []int{32, 64}, nil},
	{"rdna2-rx6800xt", isa.NoMatrixUnit, []int{32, 64}, []string{"matrix.without=lanes"}},
}

var formatsOf = map[isa.Type]format{isa.F16: fF16, isa.BF16: fBF16, isa.E4M3: fE4M3, isa.E5M2: fE5M2, isa.F32: fF32, isa.F64: fF64, isa.I8: fS8, isa.I32: fS32}

// productsOf are the products that a unit has; those of RDNA 3 for lanes.
func productsOf(u isa.MatrixUnit) (list []isa.MatrixOp) {
	if u == isa.NoMatrixUnit {
		u = isa.RDNA3
	}
	for _, o := range isa.MatrixOps {
		if o.Unit == u {
			list = append(list, o)
		}
	}
	return list
}

// sumOf is an element of a product, as docs/model/shaders.md states it.
func sumOf(j *matrixJob, imm isa.MatrixImm, i, k int) uint64 {
	a, b, c := &j.m[0], &j.m[1], &j.m[2]
	if c.f.t == isa.I32 {
		return integerSum(j, imm, i, k)
	}
	wide := isa.F32
	if c.f.t == isa.F64 {
		wide = isa.F64
	}
	sum := isa.Eval(isa.FConvert, wide, c.f.t, 0, c.at[i][k])
	for n := range a.cols {
		x, y := isa.Eval(isa.FConvert, wide, a.f.t, 0, a.at[i][n]), isa.Eval(isa.FConvert, wide, b.f.t, 0, b.at[n][k])
		sum = isa.Eval(isa.Fma, wide, wide, 0, x, y, sum)
		if tile := depthOf(j, a.f.t); (n+1)%tile == 0 { // an instruction ends here
			sum = isa.Eval(isa.FConvert, wide, c.f.t, 0, isa.Eval(isa.FConvert, c.f.t, wide, 0, sum))
		}
	}
	return isa.Eval(isa.FConvert, c.f.t, wide, 0, sum)
}

func depthOf(j *matrixJob, t isa.Type) int {
	for _, m := range matrixMachines {
		if m.name == j.machine && m.unit != isa.NoMatrixUnit {
			return m.unit.MatrixDepth(t, j.m[0].cols)
		}
	}
	return 16
}

func integerSum(j *matrixJob, imm isa.MatrixImm, i, k int) uint64 {
	extend := func(x uint64, signed bool) int64 {
		if signed {
			return int64(int8(x))
		}
		return int64(x)
	}
	sum := int64(j.m[2].at[i][k])
	if imm.Total {
		sum = int64(int32(sum))
	}
	for n := range j.m[0].cols {
		sum += extend(j.m[0].at[i][n], imm.SignedA) * extend(j.m[1].at[n][k], imm.SignedB)
	}
	switch {
	case imm.Saturate && imm.Total:
		sum = max(math.MinInt32, min(math.MaxInt32, sum))
	case imm.Saturate:
		sum = max(0, min(math.MaxUint32, sum))
	}
	return uint64(uint32(sum))
}

// immWords are the words of a product's operands.
func immWords(imm isa.MatrixImm) string {
	var list []string
	for _, w := range []struct {
		set  bool
		word string
	}{{imm.SignedA, "MatrixASignedComponentsKHR"}, {imm.SignedB, "MatrixBSignedComponentsKHR"}, {imm.Total, "MatrixCSignedComponentsKHR|MatrixResultSignedComponentsKHR"},
		{imm.Saturate, "SaturatingAccumulationKHR"}} {
		if w.set {
			list = append(list, w.word)
		}
	}
	return strings.Join(list, "|")
}

// productJob multiplies matrices of some tiles.
func productJob(r *rand.Rand, machine string, wave int, o isa.MatrixOp, tiles [3]int, columns [4]bool, imm isa.MatrixImm) *matrixJob {
	m, n, k := 16*tiles[0], 16*tiles[1], o.K*tiles[2]
	j := &matrixJob{machine: machine, wave: wave, m: [4]placed{
		{f: formatsOf[o.A], use: isa.UseA, rows: m, cols: k, pad: 16}, {f: formatsOf[o.B], use: isa.UseB, rows: k, cols: n},
		{f: formatsOf[o.C], use: isa.UseC, rows: m, cols: n, pad: 4}, {f: formatsOf[o.C], use: isa.UseC, rows: m, cols: n, pad: 8},
	}}
	for i := range j.m {
		j.m[i].column = columns[i]
		j.m[i].fill(r)
	}
	j.body = j.load("a") + j.load("b") + j.load("c") + "%d = OpCooperativeMatrixMulAddKHR %Td %a %b %c " + immWords(imm) + "\n" + j.store()
	return j
}

func TestMatrixProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 6))
	for _, m := range matrixMachines {
		for _, wave := range m.waves {
			for at, o := range productsOf(m.unit) {
				t.Run(fmt.Sprintf("%s/%s/%d", m.name, o.Name, wave), func(t *testing.T) {
					imm := isa.MatrixImm{SignedA: true, SignedB: true, Total: true}
					if o.C != isa.I32 {
						imm = isa.MatrixImm{}
					}
					columns := [4]bool{at%2 == 1, at/2%2 == 1, at/3%2 == 1, at%3 == 1}
					for n, tiles := range [][3]int{{1, 1, 1}, {2, 3, 3}} {
						if testing.Short() && n != at%2 {
							continue
						}
						j := productJob(r, m.name, wave, o, tiles, columns, imm)
						j.set = m.set
						res := j.check(t, func(i, k int) uint64 { return sumOf(j, imm, i, k) })
						want := uint64(tiles[0] * tiles[1] * tiles[2])
						if got := res.Stats.ByClass[o.Class]; m.unit != isa.NoMatrixUnit && got != want {
							t.Errorf("%d products issued, want %d", got, want)
						}
					}
				})
			}
		}
	}
}

// Of CDNA 4's products of 8-bit floats the one that is 128 deep has a time from a source; matrices of another depth are refused by name.
func TestMatrixDepthsWithoutATime(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 9))
	for at, o := range productsOf(isa.CDNA4) {
		j := productJob(r, "cdna4-mi350p", 64, o, [3]int{1, 1, 1}, [4]bool{}, isa.MatrixImm{})
		if err := j.fails(t); err != nil {
			t.Errorf("%s: %v", o.Name, err)
		}
		if o.Class != isa.ClassMatrixF8 {
			continue
		}
		o.K = 32
		j = productJob(r, "cdna4-mi350p", 64, o, [3]int{1, 1, 1}, [4]bool{}, isa.MatrixImm{})
		if err := j.fails(t); err == nil || !strings.Contains(err.Error(), "unit cdna4 has multiples of 16 x 128") {
			t.Errorf("product %d, 32 deep: error %v", at, err)
		}
	}
}

// TestMatrixSumsOf16Bits: a unit whose products have sums of 32 bits alone adds up in those, and rounds once at the end.
func TestMatrixSumsOf16Bits(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 8))
	for _, narrow := range []isa.Type{isa.F16, isa.BF16} {
		index, ok := isa.MatrixOpFor(isa.CDNA3, narrow, narrow, isa.F32, 16)
		if !ok {
			t.Fatalf("no product of %s", narrow)
		}
		o := isa.MatrixOps[index]
		o.C = narrow
		for _, tiles := range [][3]int{{1, 1, 1}, {2, 3, 2}} {
			j := productJob(r, "cdna3-mi300a", 64, o, tiles, [4]bool{false, true, true, false}, isa.MatrixImm{})
			res := j.check(t, func(i, k int) uint64 {
				wide := *j
				wide.m[2].f = formatsOf[isa.F32]
				wide.m[2].at = [][]uint64{{isa.Eval(isa.FConvert, isa.F32, narrow, 0, j.m[2].at[i][k])}}
				wide.m[0].at, wide.m[1].at = j.m[0].at[i:i+1], columnOf(j.m[1].at, k)
				return isa.Eval(isa.FConvert, narrow, isa.F32, 0, sumOf(&wide, isa.MatrixImm{}, 0, 0))
			})
			if got, want := res.Stats.ByClass[o.Class], uint64(tiles[0]*tiles[1]*tiles[2]); got != want {
				t.Errorf("%d products issued, want %d", got, want)
			}
		}
	}
}

// columnOf is one column of a matrix.
func columnOf(at [][]uint64, k int) (out [][]uint64) {
	for i := range at {
		out = append(out, at[i][k:k+1])
	}
	return out
}

func TestMatrixProductsOfIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 7))
	for _, m := range matrixMachines {
		for _, o := range productsOf(m.unit) {
			for bits := uint64(0); o.C == isa.I32 && bits < 16; bits++ {
				imm := isa.SplitMatrixImm(bits)
				j := productJob(r, m.name, m.waves[0], o, [3]int{1, 1, 1}, [4]bool{}, imm)
				j.set = m.set
				for i := range j.m[2].at { // sums at the ends of their range
					for k := range j.m[2].at[i] {
						j.m[2].at[i][k] = uint64([]uint32{0, math.MaxInt32, 1 << 31, math.MaxUint32}[r.IntN(4)])
					}
				}
				j.check(t, func(i, k int) uint64 { return integerSum(j, imm, i, k) })
			}
		}
	}
}
