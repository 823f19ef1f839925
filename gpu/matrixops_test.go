package gpu

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/isa"
)

// A matrixOp is an instruction on the elements of a (and c, of the same type), as the body of a module gives it, and its meaning.
type matrixOp struct {
	name string
	on   []format // a and c
	to   format   // d; of no name: as a
	// body computes %d from %a and %c; extra are declarations for it, before a function.
	body, extra, before string
	want                func(a, c uint64, f format) uint64
}

// two is an operation of a and c.
func two(op isa.Op) func(a, c uint64, f format) uint64 {
	return func(a, c uint64, f format) uint64 { return isa.Eval(op, f.t, f.t, 0, a, c) }
}

func converted(op isa.Op, to isa.Type) func(a, _ uint64, f format) uint64 {
	return func(a, _ uint64, f format) uint64 { return isa.Eval(op, to, f.t, 0, a) }
}

func ofA(a, _ uint64, _ format) uint64 { return a }

var (
	matrixFloats   = []format{fF16, fF32, fF64}
	matrixIntegers = []format{fS8, fU8, fS32, fU32}
	matrixAny      = []format{fF16, fBF16, fE4M3, fE5M2, fF32, fF64, fS8, fU8, fS32, fU32}
)

// binary is OpX %Ta %a %c.
func binaryOp(name string, on []format, op isa.Op) matrixOp {
	return matrixOp{name: name, on: on, body: "%d = " + name + " %Ta %a %c\n", want: two(op)}
}

func unaryOp(name string, on []format, op isa.Op) matrixOp {
	return matrixOp{name: name, on: on, body: "%d = " + name + " %Ta %a\n", want: two(op)}
}

func conversion(name string, op isa.Op, to format, on ...format) matrixOp {
	return matrixOp{name: name + " to " + to.name, on: on, to: to, body: "%d = " + name + " %Td %a\n", want: converted(op, to.t)}
}

// Function is a loop over the elements of a variable that adds c's to a's, as compilers write it.
const elementLoop = `OpStore %va %a
OpStore %vc %c
OpBranch %head
%head = OpLabel
%i = OpPhi %u32 %c0 %start %next %cont
OpLoopMerge %done %cont None
OpBranch %test
%test = OpLabel
%more = OpULessThan %bool %i %length
OpBranchConditional %more %work %done
%work = OpLabel
%ea = OpAccessChain %pe %va %i
%ec = OpAccessChain %pe %vc %i
%xa = OpLoad %ELEM %ea
%xc = OpLoad %ELEM %ec
%sum = OpSUM %ELEM %xa %xc
OpStore %ea %sum
OpBranch %cont
%cont = OpLabel
%next = OpIAdd %u32 %i %c1
OpBranch %head
%done = OpLabel
%d = OpLoad %Ta %va
`

func loopOp(on []format, add string, op isa.Op) matrixOp {
	return matrixOp{name: "elements in a loop, " + add, on: on,
		extra: "%pv = OpTypePointer Function %Ta\n%pe = OpTypePointer Function %ELEM\n",
		body:  "%length = OpCooperativeMatrixLengthKHR %u32 %Ta\n" + strings.ReplaceAll(elementLoop, "OpSUM", add), want: two(op)}
}

var matrixOperations = []matrixOp{
	binaryOp("OpFAdd", matrixFloats, isa.FAdd), binaryOp("OpFSub", matrixFloats, isa.FSub), binaryOp("OpFMul", matrixFloats, isa.FMul), binaryOp("OpFDiv", matrixFloats, isa.FDiv),
	unaryOp("OpFNegate", matrixFloats, isa.FNeg),
	binaryOp("OpIAdd", matrixIntegers, isa.IAdd), binaryOp("OpISub", matrixIntegers, isa.ISub), binaryOp("OpIMul", matrixIntegers, isa.IMul),
	unaryOp("OpSNegate", matrixIntegers, isa.INeg),
	binaryOp("OpUDiv", []format{fU8, fU32}, isa.UDiv), binaryOp("OpSDiv", []format{fS8, fS32}, isa.SDiv),
	{name: "OpMatrixTimesScalar", on: matrixFloats, extra: "%factor = OpConstant %ELEM 1.5\n", body: "%d = OpMatrixTimesScalar %Ta %a %factor\n",
		want: func(a, _ uint64, f format) uint64 { return isa.Eval(isa.FMul, f.t, f.t, 0, a, isa.FloatBits(f.t, 1.5)) }},
	{name: "OpMatrixTimesScalar of integers", on: []format{fS32, fU32}, extra: "%factor = OpConstant %ELEM 3\n", body: "%d = OpMatrixTimesScalar %Ta %a %factor\n",
		want: func(a, _ uint64, f format) uint64 { return 3 * a }},

	conversion("OpFConvert", isa.FConvert, fF32, fF16, fBF16), conversion("OpFConvert", isa.FConvert, fF16, fF32, fBF16), conversion("OpFConvert", isa.FConvert, fBF16, fF32, fF16),
	conversion("OpFConvert", isa.FConvert, fE4M3, fF32, fF16, fE5M2), conversion("OpFConvert", isa.FConvert, fE5M2, fF32, fBF16), conversion("OpFConvert", isa.FConvert, fF32, fE4M3, fE5M2),
	conversion("OpConvertSToF", isa.SToF, fF32, fS32), conversion("OpConvertUToF", isa.UToF, fF32, fU32), conversion("OpConvertFToS", isa.FToS, fS32, fF32, fF16),
	conversion("OpConvertFToU", isa.FToU, fU32, fF32), conversion("OpSConvert", isa.SConvert, fS8, fS32), conversion("OpUConvert", isa.UConvert, fU32, fU8),
	{name: "OpBitcast", on: []format{fS32, fF32}, to: fU32, body: "%d = OpBitcast %Td %a\n", want: ofA},

	{name: "OpCopyObject", on: matrixAny, body: "%d = OpCopyObject %Ta %a\n", want: ofA},
	{name: "OpConstantNull", on: matrixAny, extra: "%null = OpConstantNull %Ta\n", body: "%d = OpCopyObject %Ta %null\n", want: func(uint64, uint64, format) uint64 { return 0 }},
	{name: "OpConstantComposite", on: []format{fF16, fF32}, extra: "%three = OpConstant %ELEM 3\n%all = OpConstantComposite %Ta %three\n", body: "%d = OpCopyObject %Ta %all\n",
		want: func(_, _ uint64, f format) uint64 { return isa.FloatBits(f.t, 3) }},
	{name: "OpCompositeConstruct", on: []format{fS8, fU32}, extra: "%seven = OpConstant %ELEM 7\n", body: "%d = OpCompositeConstruct %Ta %seven\n", want: func(uint64, uint64, format) uint64 { return 7 }},
	{name: "OpCompositeExtract and OpCompositeInsert", on: matrixAny, body: "%x0 = OpCompositeExtract %ELEM %a 0\n%i0 = OpCompositeInsert %Ta %x0 %a 0\n%d = OpCopyObject %Ta %i0\n", want: ofA},
	{name: "OpSelect", on: matrixAny, body: "%one = OpIEqual %bool %rows %c0\n%d = OpSelect %Ta %one %a %c\n", want: func(_, c uint64, _ format) uint64 { return c }},
	{name: "OpPhi", on: matrixAny, body: `%t = OpLoad %u32 %lane
%big = OpUGreaterThan %bool %rows %c3
OpSelectionMerge %join None
OpBranchConditional %big %left %right
%left = OpLabel
OpBranch %join
%right = OpLabel
OpBranch %join
%join = OpLabel
%d = OpPhi %Ta %c %left %a %right
`, want: func(_, c uint64, _ format) uint64 { return c }},
	{name: "OpFunctionCall", on: matrixAny, extra: "%fnt = OpTypeFunction %Ta %Ta %Ta\n", body: "%d = OpFunctionCall %Ta %second %a %c\n",
		before: "%second = OpFunction %Ta None %fnt\n%q1 = OpFunctionParameter %Ta\n%q2 = OpFunctionParameter %Ta\n%in = OpLabel\nOpReturnValue %q2\nOpFunctionEnd\n",
		want:   func(_, c uint64, _ format) uint64 { return c }},
	loopOp(matrixFloats, "OpFAdd", isa.FAdd), loopOp(matrixIntegers, "OpIAdd", isa.IAdd),
}

// matrixStride is the number of cases of which one runs. All of them take two minutes.
func matrixStride() int {
	switch {
	case suite.AllCases():
		return 1
	case testing.Short():
		return 37
	}
	return 7
}

// Every operation on every format, use, machine and wave size: it works on elements, or is refused by name where the lanes would
// have to exchange elements.
func TestMatrixOperations(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 8))
	n := 0
	for _, m := range matrixMachines {
		for _, o := range matrixOperations {
			for _, f := range o.on {
				for use := isa.UseA; use <= isa.UseC; use++ {
					if n++; n%matrixStride() != 0 {
						continue
					}
					wave := m.waves[n%len(m.waves)]
					t.Run(fmt.Sprintf("%s/%d/%s %s %s", m.name, wave, o.name, f.name, use), func(t *testing.T) {
						o.run(t, r, m.name, wave, m.set, f, use)
					})
				}
			}
		}
	}
}

func (o *matrixOp) run(t *testing.T, r *rand.Rand, machine string, wave int, set []string, f format, use isa.MatrixUse) {
	j := &matrixJob{machine: machine, wave: wave, set: set}
	rows, cols := 32, 32 // whole tiles of every format
	if machine == "cdna4-mi350p" {
		switch use {
		case isa.UseA:
			cols = 128
		case isa.UseB:
			rows = 128
		}
	}
	a := placed{f: f, use: use, rows: rows, cols: cols, column: use == isa.UseB}
	d := a
	if o.to.name != "" {
		d.f = o.to
	}
	j.m = [4]placed{a, {f: fF32, use: isa.UseC, rows: 16, cols: 16}, a, d}
	j.m[2].column = !a.column
	for i := range j.m {
		j.m[i].fill(r)
	}
	j.extra = strings.ReplaceAll(o.extra, "%ELEM", "%"+f.name)
	j.before = o.before
	vars := ""
	if strings.Contains(o.body, "%va") {
		vars = "%va = OpVariable %pv Function\n%vc = OpVariable %pv Function\n"
	}
	j.body = j.load("a") + strings.ReplaceAll(j.load("c"), "%Tc", "%Ta") + strings.ReplaceAll(o.body, "%ELEM", "%"+f.name) + j.store()
	if vars != "" {
		j.vars = vars
	}
	if refusal := o.moves(machine, wave, f, d.f, use); refusal {
		o.refused(t, j)
		return
	}
	j.check(t, func(i, k int) uint64 { return o.want(j.m[0].at[i][k], j.m[2].at[i][k], f) })
}

// moves reports a conversion between formats whose elements lie in other lanes.
func (o *matrixOp) moves(machine string, wave int, from, to format, use isa.MatrixUse) bool {
	for _, m := range matrixMachines {
		if m.name != machine {
			continue
		}
		u := m.unit
		if u == isa.NoMatrixUnit {
			u = isa.RDNA3
		}
		x, y := u.Fragment(use, from.t, 128, wave), u.Fragment(use, to.t, 128, wave)
		return fmt.Sprint(x.Offsets, x.Step, x.Depth) != fmt.Sprint(y.Offsets, y.Step, y.Depth)
	}
	return false
}

func (o *matrixOp) refused(t *testing.T, j *matrixJob) {
	t.Helper()
	err := j.fails(t)
	if err == nil || !strings.Contains(err.Error(), "its lanes hold other elements") {
		t.Errorf("error %v: want a refusal that names the layouts", err)
	}
}
